/** The way of a check, from its bytes to its answer, in the order in which it happens. No transport in here. */
import { parseIntent } from '@writecheck/contract';
import { isRefusal, type Refusal, refuse } from '../refusal.ts';
import {
  type CheckingKeyKind,
  type Decisions,
  type Policies,
  type StoredKey,
  StoreUnavailable,
  type UsageReading,
} from '../store/port.ts';
import {
  type CheckAnswer,
  decisionAnswer,
  NO_HEADERS,
  problemAnswer,
  type RequestIdentity,
} from './answer.ts';
import { type Check, digestOf } from './decide-check.ts';
import { type IdempotencyKey, IN_FLIGHT, idempotencyKey, type RunningKeys, replay } from './idempotency.ts';
import { limitOf, quotaHeaders } from './quota.ts';
import { addReceipts, prefersReceipt, RECEIPTS_APPLIED } from './receipts.ts';
import {
  type Asked,
  type Recorded,
  type RecordParts,
  recordDecisions,
  storeUnavailable,
} from './record-decisions.ts';
import { outOfScope } from './scope.ts';
import type { Turn, Turns } from './turns.ts';

export interface CheckParts extends RecordParts {
  readonly store: RecordParts['store'] &
    Pick<Decisions, 'findAnswer'> &
    Pick<UsageReading, 'usage'> &
    Pick<Policies, 'listPolicies'>;
  readonly runningKeys: RunningKeys;
  readonly turns: Turns;
}

/** A check after authentication: a checking key, the body's bytes, and of the headers what matters here. */
export interface CheckCall {
  readonly key: StoredKey & { readonly kind: CheckingKeyKind };
  readonly body: Uint8Array;
  readonly requestId: string;
  readonly traceId: string;
  /** What the system's clock says. */
  readonly clockMs: number;
  readonly idempotencyHeader: string | undefined;
  /** `Prefer`, as sent. */
  readonly preferHeader?: string | undefined;
  /** Told how many checks a batch holds, once that is known. */
  readonly onSized?: (checks: number) => void;
}

const ONE_FRAME = ['', ''];

export const checkWrite = (parts: CheckParts, call: CheckCall): Promise<CheckAnswer> =>
  guarded(parts, call, (identity) => {
    const parsed = parseIntent(call.body);
    if (parsed.kind === 'refused')
      return problemAnswer(identity, refuse(parsed.code, parsed.message, parsed.details));
    const { intent, warnings } = parsed;

    const beyond = outOfScope(call.key, intent);
    if (beyond !== null) return problemAnswer(identity, beyond);

    const idempotency = idempotencyKey(call.idempotencyHeader, 'check', call.body);
    if (idempotency !== null && isRefusal(idempotency)) return problemAnswer(identity, idempotency);

    const check: Check = { intent, warnings, bytes: call.body, digest: digestOf(intent) };
    const wantsReceipts = prefersReceipt(call.preferHeader);
    const caller = callerOf(call);
    const asked: Asked = { caller, identity, checks: [check], idempotency, frame: ONE_FRAME, wantsReceipts };
    return answerOnce(parts, asked, ([answer]) => answer!);
  });

export const callerOf = ({ key }: CheckCall): Asked['caller'] => ({
  workspace: key.workspace,
  keyId: key.id,
  keyKind: key.kind,
});

/** Of a call, what the clock and the turn need. */
export type GuardedCall = Pick<CheckCall, 'body' | 'requestId' | 'traceId' | 'clockMs'> & {
  readonly key: StoredKey;
};

type Run = (identity: RequestIdentity, turn: Turn) => CheckAnswer | Promise<CheckAnswer>;

/** What stands before and around every check: the clock, its turn, and a failing store. */
export const guarded = (parts: CheckParts, call: GuardedCall, run: Run): Promise<CheckAnswer> => {
  const identity = identityAt(parts, call, 0);
  if ('status' in identity) return Promise.resolve(identity);
  return new Promise((resolve) => {
    parts.turns.take(call.key.workspace, call.body.length, (turn) =>
      resolve(turn === null ? problemAnswer(identity, OVERLOADED) : inTurn(parts, call, identity, turn, run)),
    );
  });
};

/** Begins without waiting for anything, so that the turn knows what was done in it. */
const inTurn = async (
  parts: CheckParts,
  call: GuardedCall,
  arrived: RequestIdentity,
  turn: Turn,
  run: Run,
): Promise<CheckAnswer> => {
  const { waitedMs } = turn;
  const { commits } = parts;
  commits.enter();
  try {
    // INVARIANT: what is decided after a wait is decided as of now, not as of when it came.
    const identity = waitedMs === 0 ? arrived : identityAt(parts, call, waitedMs);
    return 'status' in identity ? identity : await run(identity, turn);
  } catch (thrown) {
    if (!(thrown instanceof StoreUnavailable)) throw thrown;
    return problemAnswer(arrived, storeUnavailable(thrown.message));
  } finally {
    commits.leave();
    turn.end();
  }
};

const identityAt = (
  { clock }: CheckParts,
  { clockMs, requestId, traceId }: GuardedCall,
  waitedMs: number,
): RequestIdentity | CheckAnswer => {
  const sinceMs = clockMs + Math.round(waitedMs);
  const moment = clock.at(sinceMs);
  return moment.kind === 'clock_behind'
    ? problemAnswer({ requestId, traceId, nowMs: sinceMs }, clockBehind(moment.behindMs))
    : { requestId, traceId, nowMs: moment.nowMs };
};

/** Turns the answers, one per check, into the one that is sent. */
type Shape = (answers: readonly (string | Refusal)[]) => string | Refusal;

export const answerOnce = (parts: CheckParts, asked: Asked, shape: Shape): Promise<CheckAnswer> =>
  asked.idempotency === null
    ? recordDecisions(parts, asked).then((recorded) => answerOf(parts, asked, recorded, shape))
    : answerKeyed(parts, asked, asked.idempotency, shape);

const answerKeyed = async (
  parts: CheckParts,
  asked: Asked,
  idempotency: IdempotencyKey,
  shape: Shape,
): Promise<CheckAnswer> => {
  const { caller } = asked;
  const turn = await parts.runningKeys.begin(caller.workspace, idempotency.key);
  if (turn === null) return problemAnswer(asked.identity, IN_FLIGHT);
  try {
    const stored = await parts.store.findAnswer(caller.workspace, idempotency.key, asked.identity.nowMs);
    const recorded: Recorded =
      stored === null
        ? await recordDecisions(parts, asked)
        : { kind: 'twin', stored, snapshot: await parts.snapshotOf(caller.workspace) };
    return await answerOf(parts, asked, recorded, shape);
  } finally {
    turn.end();
  }
};

/** At once, unless it is the answer to an earlier request. */
const answerOf = (
  parts: CheckParts,
  asked: Asked,
  recorded: Recorded,
  shape: Shape,
): CheckAnswer | Promise<CheckAnswer> => {
  const { caller, identity } = asked;
  switch (recorded.kind) {
    case 'refused':
      return problemAnswer(identity, recorded);
    case 'recorded': {
      const { keyKind } = caller;
      const headers = quotaHeaders(keyKind, limitOf(keyKind), recorded.used, identity.nowMs);
      const shaped = shape(recorded.answers);
      return typeof shaped === 'string'
        ? decisionAnswer(shaped, headers, appliedTo(parts, asked))
        : problemAnswer(identity, shaped, headers);
    }
    case 'twin':
      return answerAgain(parts, asked, recorded);
  }
};

const appliedTo = ({ receipts }: CheckParts, { wantsReceipts }: Asked): CheckAnswer['headers'] =>
  wantsReceipts && receipts !== undefined ? RECEIPTS_APPLIED : NO_HEADERS;

const answerAgain = async (
  parts: CheckParts,
  asked: Asked,
  { stored, snapshot }: Extract<Recorded, { kind: 'twin' }>,
): Promise<CheckAnswer> => {
  const { store, receipts } = parts;
  const { caller, identity, idempotency } = asked;
  const { workspace, keyId, keyKind } = caller;
  const { nowMs } = identity;
  const again = await replay(store, workspace, stored, idempotency as IdempotencyKey, snapshot, nowMs);
  if (isRefusal(again)) return problemAnswer(identity, again);
  const limit = limitOf(keyKind);
  const used =
    limit === null ? 0 : (await store.usage(workspace, new Date(nowMs).toISOString().slice(0, 7)))[keyKind];
  const headers = { ...quotaHeaders(keyKind, limit, used, nowMs), 'idempotency-replayed': 'true' };
  const applied = appliedTo(parts, asked);
  if (applied === NO_HEADERS) return decisionAnswer(again, headers);
  const proven = await addReceipts(receipts!, { workspace, keyId }, Buffer.from(again).toString());
  return proven === null ? decisionAnswer(again, headers) : decisionAnswer(proven, headers, applied);
};

const OVERLOADED: Refusal = {
  ...refuse('overloaded', 'there is more to do than can be done in time; try again in a moment'),
  retryAfterMs: 1_000,
};

export const clockBehind = (behindMs: number): Refusal => ({
  ...refuse(
    'clock_behind',
    `the clock is ${Math.ceil(behindMs / 1_000)} s behind the newest record; set the clock`,
  ),
  retryAfterMs: Math.min(behindMs, 60_000),
});
