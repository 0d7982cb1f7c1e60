/** Redeems a decision: a write uses up the allow once, and only while everything still holds. */
import type { WriteIntent } from '@writecheck/contract';
import { parseLeaf, readRecord, recordedIntent } from '@writecheck/ledger/log';
import {
  type CheckingKeyKind,
  type LoggedRecord,
  type RedeemOutcome,
  type Redemption,
  type Store,
  type StoredKey,
  StoreUnavailable,
} from '@writecheck/store/port';
import {
  type IdempotencyKey,
  isValidAt,
  KEPT_MS,
  KEPT_TAKEN_MS,
  KEY_REUSED,
} from '../../check/idempotency.ts';
import { wholeApprovals } from '../../check/used-evidence.ts';
import { endedMessage } from '../../exchange/credential.ts';
import { type Refusal, refuse } from '../../exchange/refusal.ts';
import { KnownFreezes } from '../freezes/freeze-book.ts';
import { keysBehindAll } from '../keys/key-lineage.ts';
import { outOfScope } from '../keys/scope.ts';
import { approvalsBehind } from '../reviews/approvals-behind.ts';

interface RedeemRequest {
  readonly key: StoredKey & { readonly kind: CheckingKeyKind };
  /** A record of the key's workspace. */
  readonly found: LoggedRecord;
  readonly intentDigest: string;
  readonly idempotency: IdempotencyKey | null;
  readonly nowMs: number;
}

export type Redeemed =
  | { readonly kind: 'redeemed'; readonly redeemedAtMs: number; readonly isReplayed: boolean }
  | Refusal;

const OTHER_WRITE = 'the decision is about another write';

const DEVELOPMENT_ONLY: Refusal = refuse(
  'insufficient_scope',
  'a development key redeems only decisions of development keys; use a live key',
);

const NOT_ITS_APPROVAL: Refusal = refuse(
  'insufficient_scope',
  'this key may not use the approval behind this decision; redeem the decision with the key that sent the check',
);

function notRedeemable(why: string): Refusal {
  return refuse('not_redeemable', `${why}; do not write, check again`);
}

/** INVARIANT: this moment has always passed, so an allow that is never valid is never redeemed. */
const NEVER_MS = 0;

function usableUntil(validUntil: string, nowMs: number): number {
  const untilMs = Date.parse(validUntil);
  // The store judges whether it has passed, in the order of its checks.
  return untilMs <= nowMs || isValidAt(untilMs, nowMs) ? untilMs : NEVER_MS;
}

export async function redeemDecision(store: Store, request: RedeemRequest): Promise<Redeemed> {
  const { key, found, intentDigest, idempotency, nowMs } = request;
  const leaf = parseLeaf(found.leaf);
  if (leaf === null) throw new Error('a stored leaf cannot be read');
  const { decision, keyId, freezeNumber = 0 } = readRecord(found.record);
  const recorded = recordedIntent(found.record);
  const { system, workflowId } = recorded;
  const beyond = outOfScope(key, { system, workflowId: workflowId ?? undefined });
  if (beyond !== null) return beyond;
  // INVARIANT: the development key in every developer's shell cannot use up a production allow.
  if (key.kind === 'development' && leaf.keyKind !== 'development') return DEVELOPMENT_ONLY;
  const approvals = await approvalsBehind(store, key, decision.restsOn);
  if (!approvals.areUsable) return NOT_ITS_APPROVAL;
  if (leaf.decision !== 'allow') return notRedeemable(`the decision is ${leaf.decision}, not allow`);
  const isOther = leaf.intentDigest !== intentDigest;
  // Only an idempotency key that redeemed it before can get any other response.
  if (isOther && idempotency === null) return notRedeemable(OTHER_WRITE);

  const decidedAtMs = Date.parse(leaf.timestamp);
  const isOver = !(await isInOpenLog(store, found.log));
  const redemption = {
    workspace: leaf.workspace,
    decisionId: leaf.decision_id,
    keyId: key.id,
    keyKind: key.kind,
    atMs: nowMs,
    intentDigest,
    policyRef: leaf.policyRef,
    restsOn: [...wholeApprovals(decision.restsOn), ...approvals.approvers],
    idempotency: idempotency === null ? null : { ...idempotency, expiresAtMs: nowMs + KEPT_MS },
    decidedAtMs,
    answer: { expiresAtMs: decidedAtMs + KEPT_MS, keptUntilMs: decidedAtMs + KEPT_TAKEN_MS },
    validUntilMs:
      isOther || isOver || leaf.validUntil === null ? NEVER_MS : usableUntil(leaf.validUntil, nowMs),
  };
  const outcome = await redeemUnderFreezes(
    store,
    { keyId, freezeNumber, intent: intentOf(recorded) },
    redemption,
  );
  if (outcome.kind === 'ended') return refuse(outcome.code, endedMessage(outcome.code, key.hint));
  if (outcome.kind === 'key_reused') return KEY_REUSED;
  if (isOther) return notRedeemable(OTHER_WRITE);
  if (outcome.kind === 'expired' && isOver) return notRedeemable('its log ended in a restore');
  return redeemedBy(outcome, leaf.validUntil, nowMs);
}

function redeemedBy(
  outcome: Exclude<Judged, { readonly kind: 'ended' | 'key_reused' }>,
  validUntil: string | null,
  nowMs: number,
): Redeemed {
  switch (outcome.kind) {
    case 'redeemed':
    case 'same':
      return {
        kind: 'redeemed',
        redeemedAtMs: outcome.redeemedAtMs,
        isReplayed: outcome.kind === 'same',
      };
    case 'already_redeemed':
      return refuse('already_redeemed', 'the decision was already redeemed; do not write twice');
    case 'over':
      return notRedeemable('somebody reported that its write is done or failed');
    case 'frozen':
      return FROZEN;
    case 'expired':
      return notRedeemable(whyOver(validUntil, nowMs));
    case 'policy_changed':
      return notRedeemable('the policy changed since the decision');
    case 'evidence_revoked':
      return notRedeemable('evidence that the decision rests on was revoked');
  }
}

function whyOver(validUntil: string | null, nowMs: number): string {
  if (validUntil === null) return 'the decision does not say until when it is valid';
  return Date.parse(validUntil) > nowMs
    ? `the decision is valid until ${validUntil}, longer than an allow lasts, so a clock that was ahead made it; check again`
    : `the decision was valid until ${validUntil}`;
}

type Judged = Exclude<RedeemOutcome, { readonly kind: 'judge_again' }>;

/** The allowed write, the key that asked, and the newest freeze or lift at that time. */
interface Allowed {
  readonly keyId: string;
  readonly freezeNumber: number;
  readonly intent: WriteIntent;
}

function intentOf({ system, ...members }: ReturnType<typeof recordedIntent>): WriteIntent {
  const sent = Object.entries(members).filter(([, value]) => value !== null);
  return { system, ...Object.fromEntries(sent) };
}

/**
 * INVARIANT: every freeze that came after the decision counts, also one that was lifted since. A freeze of a key stops
 * that key from taking what another key was allowed.
 */
async function redeemUnderFreezes(
  store: Store,
  { keyId, freezeNumber, intent }: Allowed,
  redemption: Omit<Redemption, 'freezeNumber' | 'isFrozen'>,
): Promise<Judged> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const newer = new KnownFreezes(await store.freezesAfter(redemption.workspace, freezeNumber));
    const both = [keyId, redemption.keyId];
    const keyIds = newer.namesKeys ? await keysBehindAll(store, redemption.workspace, both) : both;
    const isFrozen = newer.matching(intent, keyIds).length > 0;
    const outcome = await store.redeem({ ...redemption, freezeNumber: newer.number, isFrozen });
    if (outcome.kind !== 'judge_again') return outcome;
  }
  throw new StoreUnavailable('busy', 'freezes change faster than the redemption can be recorded; try again');
}

const TRIES_MAX = 4;

const FROZEN: Refusal = refuse(
  'not_redeemable',
  'a freeze has stopped writes like this since the decision; do not write, check again',
  [{ pointer: '', message: 'frozen' }],
);

/** INVARIANT: an allow from before a restore or a failover is not redeemed: the part that was lost may have redeemed it. */
async function isInOpenLog(store: Store, log: string): Promise<boolean> {
  const heads = await store.logs();
  return heads.some((head) => head.log === log && (head.isOpen ?? log === store.log));
}
