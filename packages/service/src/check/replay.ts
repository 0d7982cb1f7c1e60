/** Replays a kept response, and an allow only while it still holds. */
import { calendarMonth, isoTime } from '@writecheck/contract';
import { readRecord } from '@writecheck/ledger/log';
import { decisionsIn, isResponseTo, type Store, type StoredAnswer, UNTAKEN } from '@writecheck/store/port';
import { type Answer, jsonText, NO_HEADERS } from '../exchange/answer.ts';
import { problemAnswer } from '../exchange/problem-answer.ts';
import { isRefusal, type Refusal, refuse } from '../exchange/refusal.ts';
import { KnownFreezes } from '../features/freezes/freeze-book.ts';
import { keysBehindAll } from '../features/keys/key-lineage.ts';
import { isValidAt, KEPT_MS, KEPT_TAKEN_MS, KEY_REUSED } from './idempotency.ts';
import type { ParsedRequest } from './parse-request.ts';
import { quotaHeaders } from './quota.ts';
import { addReceipts, RECEIPTS_APPLIED, type Receipts } from './receipts.ts';
import { isReference, recordedResponse } from './recorded-response.ts';

interface ReplayParts {
  readonly store: ReplayStore;
  readonly receipts: Receipts;
}

/** The response of an earlier request with the same `Idempotency-Key`, or why it is not replayed. */
export async function respondAgain(
  parts: ReplayParts,
  parsed: ParsedRequest,
  stored: StoredAnswer,
): Promise<Answer> {
  const { store, receipts } = parts;
  const { key, quota, context, wantsReceipts } = parsed;
  const { workspace, kind } = key;
  const { nowMs } = context;
  const response = await replay(store, parsed, stored);
  if (isRefusal(response)) return problemAnswer(context, response);
  const left =
    quota === null
      ? NO_HEADERS
      : quotaHeaders(kind, quota, (await store.usage(workspace, calendarMonth(nowMs).period))[kind], nowMs);
  const headers = { ...left, 'idempotency-replayed': 'true' };
  const asker = { workspace, keyId: key.id };
  if (parsed.form !== undefined) {
    const receiptOf = wantsReceipts ? (id: string) => receipts.again(asker, id) : null;
    return jsonText(await parsed.form.again(Buffer.from(response).toString(), receiptOf), {
      ...headers,
      ...(receiptOf === null ? {} : RECEIPTS_APPLIED),
    });
  }
  const proven = wantsReceipts ? await addReceipts(receipts, asker, Buffer.from(response).toString()) : null;
  return proven === null
    ? jsonText(response, headers)
    : jsonText(proven, { ...headers, ...RECEIPTS_APPLIED });
}

async function replay(
  store: ReplayStore,
  { key, checks, idempotency, context: { nowMs } }: ParsedRequest,
  stored: StoredAnswer,
): Promise<Uint8Array | Refusal> {
  // INVARIANT: only a request with an `Idempotency-Key` has a twin.
  if (!isResponseTo(stored, idempotency!.requestDigest)) return keyReused(stored);
  const { replayableWhile } = stored;
  const { workspace } = key;
  if (replayableWhile === null) return responseOf(store, workspace, stored);
  const { validUntilMs, policyRef, restsOn, freezeNumber = 0, allowed, taken } = replayableWhile;
  const expired = (why: string) => expiredBecause(why, store, workspace, stored);
  if (!isValidAt(validUntilMs, nowMs)) return expired('the stored allow is no longer valid');
  // INVARIANT: the store says which bundle runs; this process may know an older one than the process that responded.
  const [running] = await store.listPolicies(workspace, 1);
  // A bundle that was replaced and then applied again is another revision.
  const isNewer =
    running !== undefined &&
    running.createdAtMs > stored.expiresAtMs - (taken === undefined ? KEPT_MS : KEPT_TAKEN_MS);
  if (policyRef !== (running?.digest ?? null) || isNewer)
    return expired('the policy changed since the stored allow');
  const states = restsOn.length === 0 ? [] : await store.attestationStates(workspace, restsOn);
  if (states.some(({ revoked }) => revoked)) return expired('evidence of the stored allow was revoked');
  // INVARIANT: a freeze that came after the allow counts, also one that was lifted since. The body is the same as then.
  const newer = new KnownFreezes(await store.freezesAfter(workspace, freezeNumber));
  const keyIds = newer.namesKeys ? await keysOf(store, key, stored) : [key.id];
  if (keyIds === null) return expired('the stored decision was pruned');
  const allows = allowed === undefined ? checks : allowed.map((place) => checks[place]!);
  if (allows.some(({ intent }) => newer.matching(intent, keyIds).length > 0))
    return expired('a freeze has stopped writes like this since the stored allow');
  return responseOf(store, workspace, stored);
}

/**
 * INVARIANT: a freeze of the key that was allowed the write stops its replay too, also one by a key that it was rotated
 * from. Null if the record, which names that key, is gone.
 */
async function keysOf(
  store: ReplayStore,
  { id, workspace }: ParsedRequest['key'],
  { response, replayableWhile }: StoredAnswer,
): Promise<readonly string[] | null> {
  const decisionId = decisionsIn(response)[0] ?? replayableWhile?.taken?.decisionId;
  const decision = decisionId === undefined ? null : await store.findDecision(workspace, decisionId);
  return decision === null ? null : keysBehindAll(store, workspace, [id, readRecord(decision.record).keyId]);
}

/** INVARIANT: a key whose allow was redeemed never gets another allow: the write may have run. */
async function expiredBecause(
  why: string,
  store: ReplayStore,
  workspace: string,
  stored: StoredAnswer,
): Promise<Refusal> {
  const redeemed = await redeemedAmong(store, workspace, stored);
  if (redeemed.length > 0) return alreadyTaken(redeemed);
  // After a prune only this member still says that the allow was taken.
  const taken = stored.replayableWhile?.taken;
  return taken !== undefined
    ? alreadyTaken([taken])
    : refuse('idempotency_key_expired', `${why}; check again with a new \`Idempotency-Key\``);
}

/** INVARIANT: a decision without its record does not count: it was pruned in the meantime. */
async function responseOf(
  store: ReplayStore,
  workspace: string,
  stored: StoredAnswer,
): Promise<Uint8Array | Refusal> {
  const { response, replayableWhile } = stored;
  const taken = response.length === 0 ? replayableWhile?.taken : undefined;
  const decisionId = isReference(response) ? decisionsIn(response)[0] : taken?.decisionId;
  if (decisionId === undefined) return response;
  const decision = await store.findDecision(workspace, decisionId);
  if (decision === null) return expiredBecause('the stored decision was pruned', store, workspace, stored);
  const redemption =
    taken?.claim === undefined ? undefined : { redeemedAt: taken.redeemedAt, claim: taken.claim };
  return Buffer.from(recordedResponse(readRecord(decision.record), redemption));
}

type Taken = NonNullable<NonNullable<StoredAnswer['replayableWhile']>['taken']>;

/** Those of the stored decisions that were redeemed. */
async function redeemedAmong(
  store: ReplayStore,
  workspace: string,
  { response }: StoredAnswer,
): Promise<readonly Taken[]> {
  const redeemed = await store.redemptionTimes(workspace, decisionsIn(response));
  return redeemed.map(({ decisionId, atMs }) => ({ decisionId, redeemedAt: isoTime(atMs) }));
}

function alreadyTaken(redeemed: readonly Taken[]): Refusal {
  const messages = redeemed.map(
    ({ decisionId, redeemedAt }) => `decision ${decisionId} was redeemed at ${redeemedAt}`,
  );
  const details = messages.map((message) => ({ pointer: '', message }));
  return refuse('already_redeemed', `${messages[0]}; do not write twice`, details);
}

type ReplayStore = Pick<
  Store,
  | 'attestationStates'
  | 'redemptionTimes'
  | 'listPolicies'
  | 'freezesAfter'
  | 'listKeys'
  | 'usage'
  | 'findDecision'
>;

/**
 * Names the decision that holds the key, so that a caller who brings new evidence can tell a pause, after which it may
 * ask under another key, from an allow, after which it must not.
 */
function keyReused({ requestDigest, response, replayableWhile }: StoredAnswer): Refusal {
  if (!requestDigest.replace(UNTAKEN, '').startsWith('check:')) return KEY_REUSED;
  const { decision_id, decision } =
    // The store keeps no response of a taken allow, only its id.
    response.length === 0
      ? { decision_id: replayableWhile?.taken?.decisionId, decision: 'allow' }
      : (JSON.parse(Buffer.from(response).toString()) as Record<string, string>);
  const details = Object.entries({ decision_id, decision }).flatMap(([name, message]) =>
    typeof message === 'string' ? [{ pointer: `/${name}`, message }] : [],
  );
  return { ...KEY_REUSED, details };
}
