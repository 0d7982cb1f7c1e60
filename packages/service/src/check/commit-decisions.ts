/** Makes the decisions of one request durable, and only then releases their response. */
import type { WriteIntent } from '@writecheck/contract';
import type { CommitEntryResult, CommitRequest, StoredAnswer } from '@writecheck/store/port';
import { type Answer, jsonText, NO_HEADERS } from '../exchange/answer.ts';
import { problemAnswer, problemText } from '../exchange/problem-answer.ts';
import { type Refusal, refuse, storeUnavailable } from '../exchange/refusal.ts';
import type { SteadyClock } from '../support/clocks/steady-clock.ts';
import type { StepTrace } from '../support/observability/step-trace.ts';
import { rememberLast } from '../support/remember-last.ts';
import type { Counters } from './counters.ts';
import type { Decided } from './decide-checks.ts';
import type { GroupCommit } from './group-commit.ts';
import { withBinding } from './idempotency-binding.ts';
import { type Asked, END_OF_LIST } from './parse-request.ts';
import { endsOverQuota, quotaHeaders, quotaRefusal } from './quota.ts';
import { RECEIPTS_APPLIED, type Receipts } from './receipts.ts';
import type { RecentAllows } from './recent-allows.ts';
import type { UsedUp } from './used-up.ts';

export interface CommitParts {
  readonly clock: SteadyClock;
  readonly commits: GroupCommit;
  readonly usedUp: UsedUp;
  readonly recentAllows: RecentAllows;
  /** Present if the log is signed. */
  readonly receipts?: Receipts;
  /** Called for every decision that is durable and about to be sent. */
  readonly decided?: (decision: string, reasonCode: string) => void;
  /** Called for every enforcing limit that a durable decision is beyond. */
  readonly limitBeyond?: (effect: string) => void;
  readonly trace?: StepTrace;
}

/** An earlier request with the same `Idempotency-Key` was recorded, and got this response. */
interface Twin {
  readonly kind: 'twin';
  readonly stored: StoredAnswer;
}

/** The checks must be decided again, because what the decisions rest on has changed in the meantime. */
interface Again {
  readonly kind: 'again';
  /** The digest of the running bundle, if it is another one. */
  readonly running?: string | null;
}

/** What the decision rests on; the commit checks that neither has changed since. */
type Basis = Pick<CommitRequest, 'freezeNumber' | 'bundle'>;

export async function commitDecisions(
  parts: CommitParts,
  asked: Asked,
  decided: readonly Decided[],
  basis: Basis,
  counters: Counters | null,
): Promise<Answer | Twin | Again> {
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
      return problemAnswer(asked.context, keyRevoked(asked));
    case 'unavailable':
      return problemAnswer(asked.context, storeUnavailable(submitted.failure.message));
    case 'done':
      return release(parts, asked, decided, submitted.entries);
  }
}

/** What a commit would respond, if that is known before anything is verified, decided or queued. */
export function monthUsedUp(parts: CommitParts, asked: Asked): Answer | null {
  const { key, quota, checks, frame, context } = asked;
  const { usedUp } = parts;
  if (quota === null || !usedUp.has(key.workspace, key.kind, context.nowMs, performance.now())) return null;
  const refusal = quotaRefusal(key.kind, quota, context.nowMs);
  return endsOverQuota(asked)
    ? respond(parts, asked, [refusal], endAfter(frame, 1), quota)
    : respond(
        parts,
        asked,
        checks.map(() => refusal),
        frame,
        quota,
      );
}

function keyRevoked({ key }: Asked): Refusal {
  return refuse('key_revoked', `the key \`${key.hint}\` was revoked`);
}

function requestOf(
  { receipts }: CommitParts,
  asked: Asked,
  decided: readonly Decided[],
  basis: Basis,
): CommitRequest {
  const { key, quota, idempotency, wantsReceipts } = asked;
  const request = {
    workspace: key.workspace,
    keyId: key.id,
    keyKind: key.kind,
    freezeNumber: basis.freezeNumber,
    quota,
    entries: decided.map(({ entry }) => entry),
    idempotency: null,
    bundle: basis.bundle,
    proven: wantsReceipts && receipts !== undefined,
  };
  return idempotency === null
    ? request
    : withBinding(request, asked, idempotency, decided, frameOf(asked, decided));
}

async function release(
  parts: CommitParts,
  asked: Asked,
  decided: readonly Decided[],
  outcomes: readonly CommitEntryResult[],
): Promise<Answer> {
  const { clock, usedUp, recentAllows, receipts, decided: tell, limitBeyond, trace } = parts;
  const { key, quota, context, wantsReceipts } = asked;
  clock.saw(context.nowMs);
  let used = 0;
  let frame = frameOf(asked, decided);
  const answers: (string | Refusal)[] = [];
  for (const [i, outcome] of outcomes.entries()) {
    used = outcome.used;
    if (outcome.kind === 'quota_exceeded') {
      answers.push(quotaRefusal(key.kind, quota, context.nowMs));
      if (!endsOverQuota(asked)) continue;
      frame = endAfter(frame, answers.length);
      break;
    }
    const { decision, draft, beyond } = decided[i]!;
    if (decision.decision === 'allow') recentAllows.add(outcome.decisionId, key.id);
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
  if (quota !== null) {
    usedUp.learn(key.workspace, key.kind, used >= quota, context.nowMs, performance.now());
  }
  return respond(parts, asked, answers, frame, used);
}

/**
 * `answers` has for each check the text of a durable decision, or the refusal if it is over quota. A single check over
 * quota is refused as a whole; in a batch its error takes its place. `used` counts this month's checks.
 */
function respond(
  { receipts }: CommitParts,
  { key, quota, context, isBatch, wantsReceipts, form }: Asked,
  answers: readonly (string | Refusal)[],
  frame: readonly string[],
  used: number,
): Answer {
  const headers = quota === null ? NO_HEADERS : quotaHeaders(key.kind, quota, used, context.nowMs);
  const applied = wantsReceipts && receipts !== undefined ? { ...headers, ...RECEIPTS_APPLIED } : headers;
  if (!isBatch) {
    const [answer] = answers as [string | Refusal];
    return typeof answer === 'string'
      ? jsonText(200, answer, applied)
      : problemAnswer(context, answer, headers);
  }
  const errorText = rememberLast(
    (refusal: Refusal) => form?.errorText(refusal) ?? problemText(context, refusal),
  );
  const body = frame.reduce((before, piece, i) => {
    const answer = answers[i - 1]!;
    return before + (typeof answer === 'string' ? answer : errorText(answer)) + piece;
  });
  return jsonText(200, body, applied);
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

function endAfter(frame: readonly string[], checks: number): readonly string[] {
  return [...frame.slice(0, checks), END_OF_LIST];
}
