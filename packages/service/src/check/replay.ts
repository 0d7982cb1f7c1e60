/** Replays a kept response, and an allow only while it still holds. */
import { calendarMonth, isoTime } from '@writecheck/contract';
import { readRecord } from '@writecheck/ledger/log';
import { decisionIn, isResponseTo, type Store, type StoredAnswer, UNTAKEN } from '@writecheck/store/port';
import { type Answer, jsonText, NO_HEADERS } from '../exchange/answer.ts';
import { problemAnswer } from '../exchange/problem-answer.ts';
import { type Refusal, refuse } from '../exchange/refusal.ts';
import { KnownFreezes } from '../features/freezes/freeze-book.ts';
import { keysBehindAll } from '../features/keys/key-lineage.ts';
import { isValidAt, KEPT_MS, KEPT_TAKEN_MS, KEY_REUSED } from './idempotency.ts';
import type { ParsedRequest } from './parse-request.ts';
import { quotaHeaders } from './quota.ts';
import { recordedResponse } from './recorded-response.ts';

/** The response of an earlier request with the same `Idempotency-Key`, or why it is not replayed. */
export async function respondAgain(
  store: ReplayStore,
  parsed: ParsedRequest,
  stored: StoredAnswer,
): Promise<Answer> {
  const { key, quota, context } = parsed;
  const { workspace, kind } = key;
  const { nowMs } = context;
  const response = await replay(store, parsed, stored);
  if (typeof response !== 'string') return problemAnswer(context, response);
  const left =
    quota === null
      ? NO_HEADERS
      : quotaHeaders(kind, quota, (await store.usage(workspace, calendarMonth(nowMs).period))[kind], nowMs);
  return jsonText(response, { ...left, 'idempotency-replayed': 'true' });
}

async function replay(
  store: ReplayStore,
  { key, intent, idempotency, context: { nowMs } }: ParsedRequest,
  stored: StoredAnswer,
): Promise<string | Refusal> {
  // INVARIANT: only a request with an `Idempotency-Key` has a twin.
  if (!isResponseTo(stored, idempotency!.requestDigest)) return keyReused(stored);
  const { replayableWhile } = stored;
  const { workspace } = key;
  if (replayableWhile === null) return responseOf(store, workspace, stored);
  const { validUntilMs, policyRef, restsOn, freezeNumber = 0, taken } = replayableWhile;
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
  if (newer.matching(intent, keyIds).length > 0)
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
  stored: StoredAnswer,
): Promise<readonly string[] | null> {
  const decisionId = decisionOf(stored);
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
  const decisionId = decisionOf(stored);
  const [redeemed] = decisionId === undefined ? [] : await store.redemptionTimes(workspace, [decisionId]);
  if (redeemed !== undefined)
    return alreadyTaken({ decisionId: redeemed.decisionId, redeemedAt: isoTime(redeemed.atMs) });
  // After a prune only this member still says that the allow was taken.
  const taken = stored.replayableWhile?.taken;
  return taken !== undefined
    ? alreadyTaken(taken)
    : refuse('idempotency_key_expired', `${why}; check again with a new \`Idempotency-Key\``);
}

/** Made again from the record. INVARIANT: a decision without its record does not count: it was pruned in the meantime. */
async function responseOf(
  store: ReplayStore,
  workspace: string,
  stored: StoredAnswer,
): Promise<string | Refusal> {
  const decisionId = decisionOf(stored);
  const decision = decisionId === undefined ? null : await store.findDecision(workspace, decisionId);
  if (decision === null) return expiredBecause('the stored decision was pruned', store, workspace, stored);
  // Only the request that took the allow keeps no response.
  const taken = stored.response.length === 0 ? stored.replayableWhile?.taken : undefined;
  const redemption =
    taken?.claim === undefined ? undefined : { redeemedAt: taken.redeemedAt, claim: taken.claim };
  return recordedResponse(readRecord(decision.record), redemption);
}

function decisionOf({ response, replayableWhile }: StoredAnswer): string | undefined {
  return decisionIn(response) ?? replayableWhile?.taken?.decisionId;
}

function alreadyTaken({
  decisionId,
  redeemedAt,
}: {
  readonly decisionId: string;
  readonly redeemedAt: string;
}): Refusal {
  const message = `decision ${decisionId} was redeemed at ${redeemedAt}`;
  return refuse('already_redeemed', `${message}; do not write twice`, [{ pointer: '', message }]);
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
