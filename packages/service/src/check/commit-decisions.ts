/** Makes the decisions of one request durable, and only then releases their responses. */
import type { WriteIntent } from '@writecheck/contract';

import type {
  CommitEntry,
  CommitRequest,
  EntryOutcome,
  IdempotencyClaim,
  StoredAnswer,
} from '@writecheck/store/port';
import { problemText } from '../exchange/problem-answer.ts';
import { type Refusal, refuse, storeUnavailable } from '../exchange/refusal.ts';
import type { SteadyClock } from '../support/clocks/steady-clock.ts';
import type { StepTrace } from '../support/observability/step-trace.ts';
import type { Counters } from './counters.ts';
import type { Decided } from './decide-checks.ts';
import type { GroupCommit } from './group-commit.ts';
import { type IdempotencyKey, KEPT_MS, KEPT_TAKEN_MS } from './idempotency.ts';
import type { Asked } from './parse-request.ts';
import { limitOf, quotaRefusal } from './quota.ts';
import type { Receipts } from './receipts.ts';
import type { RecentAllows } from './recent-allows.ts';
import type { UsedUp } from './used-up.ts';

export interface CommitParts {
  readonly clock: SteadyClock;
  readonly commits: GroupCommit;
  readonly usedUp: UsedUp;
  readonly recent: RecentAllows;
  /** Present if the log is signed. */
  readonly receipts?: Receipts;
  /** Called for every decision that is durable and about to be sent. */
  readonly decided?: (decision: string, reasonCode: string) => void;
  /** Called for every enforcing limit that a durable decision is beyond. */
  readonly limitBeyond?: (effect: string) => void;
  readonly trace?: StepTrace;
}

export type Recorded =
  /**
   * For each check, the text of a durable decision, or the refusal if it is over quota. `used` counts this month's
   * checks.
   */
  | {
      readonly kind: 'recorded';
      readonly answers: readonly (string | Refusal)[];
      readonly frame: readonly string[];
      readonly used: number;
    }
  /** The response that an earlier request with the same `Idempotency-Key` got. */
  | { readonly kind: 'twin'; readonly stored: StoredAnswer }
  | Refusal;

/** The checks must be decided again, because what the decisions rest on has changed in the meantime. */
export interface Again {
  readonly kind: 'again';
  /** The digest of the running bundle, if it is another one. */
  readonly running?: string | null;
}

/** What the commit compares with what is so by then. */
type Basis = Required<Pick<CommitRequest, 'freezeNumber' | 'bundle'>>;

export async function commitDecisions(
  parts: CommitParts,
  asked: Asked,
  decided: readonly Decided[],
  basis: Basis,
  counters: Counters | null,
): Promise<Recorded | Again> {
  const ended = parts.trace?.begin('commit');
  const submitted = await parts.commits.submit(requestOf(parts, asked, decided, basis));
  counters?.settle(submitted);
  ended?.({ 'writecheck.outcome': submitted.kind });
  switch (submitted.kind) {
    case 'decide_again':
      return submitted.running === undefined
        ? { kind: 'again' }
        : { kind: 'again', running: submitted.running };
    case 'twin':
      return submitted;
    case 'key_revoked':
      return refuse('key_revoked', `the key \`${asked.key.hint}\` was revoked`);
    case 'unavailable':
      return storeUnavailable(submitted.failure.message);
    case 'done':
      return release(parts, asked, decided, submitted.entries);
  }
}

/** What a commit would respond, if that is known before anything is verified, decided or queued. */
export function monthUsedUp({ usedUp }: CommitParts, asked: Asked): Recorded | null {
  const { key, checks, frame, context } = asked;
  const limit = limitOf(key.kind);
  if (limit === null || !usedUp.has(key.workspace, key.kind, context.nowMs, performance.now())) return null;
  const refusal = quotaRefusal(key.kind, limit, context.nowMs);
  if (endsOverQuota(asked))
    return { kind: 'recorded', answers: [refusal], frame: endAfter(frame, 1), used: limit };
  return { kind: 'recorded', answers: checks.map(() => refusal), frame, used: limit };
}

function requestOf(
  { receipts }: CommitParts,
  asked: Asked,
  decided: readonly Decided[],
  basis: Basis,
): CommitRequest {
  const { key, context, idempotency, form, isBatch, wantsReceipts } = asked;
  const limit = limitOf(key.kind);
  const request = {
    workspace: key.workspace,
    keyId: key.id,
    keyKind: key.kind,
    freezeNumber: basis.freezeNumber,
    limit,
    entries: decided.map(({ entry }) => entry),
    idempotency: null,
    bundle: basis.bundle,
    ...(wantsReceipts && receipts !== undefined ? { proven: true } : {}),
  };
  if (idempotency === null) return request;
  const refusal = limit === null ? null : quotaRefusal(key.kind, limit, context.nowMs);
  const overQuota =
    refusal === null ? '' : isBatch && form ? form.errorText(refusal) : problemText(context, refusal);
  const entries = decided.map(({ entry, draft }): CommitEntry => {
    // The response of an allow that is taken is as long as its record, and is made again from it.
    const committed = entry.redeems === undefined ? draft.toKeep() : '';
    return { ...entry, answers: { committed, overQuota } };
  });
  return {
    ...request,
    entries,
    idempotency: claimOf(asked, idempotency, frameOf(asked, decided), decided, basis.freezeNumber),
  };
}

async function release(
  { clock, usedUp, recent, receipts, decided: tell, limitBeyond, trace }: CommitParts,
  asked: Asked,
  decided: readonly Decided[],
  outcomes: readonly EntryOutcome[],
): Promise<Recorded> {
  const { key, context, wantsReceipts } = asked;
  const limit = limitOf(key.kind);
  clock.saw(context.nowMs);
  let used = 0;
  let frame = frameOf(asked, decided);
  const answers: (string | Refusal)[] = [];
  for (const [i, outcome] of outcomes.entries()) {
    used = outcome.used;
    if (outcome.kind === 'quota_exceeded') {
      answers.push(quotaRefusal(key.kind, limit, context.nowMs));
      if (!endsOverQuota(asked)) continue;
      frame = endAfter(frame, answers.length);
      break;
    }
    const { decision, draft, beyond } = decided[i]!;
    if (decision.decision === 'allow')
      recent.add(outcome.decisionId, { workspace: key.workspace, keyId: key.id, atMs: context.nowMs });
    for (const effect of beyond) limitBeyond?.(effect);
    tell?.(decision.decision, decision.reasonCode);
    trace?.note({
      'writecheck.workspace': key.workspace,
      'writecheck.decision': decision.decision,
      'writecheck.reason_code': decision.reasonCode,
      'writecheck.decision_id': outcome.decisionId,
      ...toolCallNames(asked.checks[i]!.intent),
    });
    const receipt = wantsReceipts && receipts !== undefined ? receipts.textOf(outcome) : null;
    answers.push(draft.release(outcome, receipt instanceof Promise ? await receipt : receipt));
  }
  if (limit !== null) {
    usedUp.learn(key.workspace, key.kind, used >= limit, context.nowMs, performance.now());
  }
  return { kind: 'recorded', answers, frame, used };
}

/** OpenTelemetry's names for a tool call; nothing runs here, so there is no `gen_ai.operation.name`. */
function toolCallNames({ operation, runId, metadata }: WriteIntent): { readonly [name: string]: string } {
  const agent = metadata?.agent;
  return {
    ...(operation === undefined ? {} : { 'gen_ai.tool.name': operation }),
    ...(typeof agent === 'string' ? { 'gen_ai.agent.name': agent } : {}),
    ...(runId === undefined ? {} : { 'gen_ai.conversation.id': runId }),
  };
}

/** The frame around what was reached. */
function frameOf({ frame, endsAfter }: Asked, decided: readonly Decided[]): readonly string[] {
  const isOver = endsAfter?.(decided.at(-1)!.decision.decision) === true;
  return isOver ? endAfter(frame, decided.length) : frame;
}

/** INVARIANT: a check over quota is no permit, so it ends a list that ends with the first check that is none. */
function endsOverQuota({ endsAfter }: Asked): boolean {
  return endsAfter?.('block') === true;
}

function endAfter(frame: readonly string[], checks: number): readonly string[] {
  return [...frame.slice(0, checks), END_OF_LIST];
}

const END_OF_LIST = ']}';

function claimOf(
  asked: Asked,
  { key, requestDigest }: IdempotencyKey,
  frame: readonly string[],
  decided: readonly Decided[],
  freezeNumber: number,
): IdempotencyClaim {
  const { claim, context } = asked;
  const { nowMs } = context;
  const allows = decided.filter(({ decision }) => decision.decision === 'allow');
  const taken = allows.find(({ entry }) => entry.redeems !== undefined)?.entry.leaf;
  return {
    key,
    requestDigest,
    // A pause with a claim is kept as long: callers come past it to the key under which the allow was taken.
    expiresAtMs: nowMs + (claim === null ? KEPT_MS : KEPT_TAKEN_MS),
    frame,
    ...(endsOverQuota(asked) ? { endOverQuota: END_OF_LIST } : {}),
    replayableWhile:
      allows.length === 0
        ? null
        : {
            // An allow without an end is never replayed, because nobody can tell whether it still holds.
            validUntilMs: Math.min(...allows.map(({ decision }) => decision.validUntil ?? 0)),
            policyRef: allows[0]!.entry.leaf.policyRef,
            restsOn: allows.flatMap(({ entry }) => entry.restsOn),
            freezeNumber,
            ...(taken === undefined || claim === null
              ? {}
              : { taken: { decisionId: taken.decision_id, redeemedAt: taken.timestamp, claim } }),
          },
  };
}
