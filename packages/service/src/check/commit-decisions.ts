/** Makes the decisions of one request durable, and only then releases their response. */
import type { Decision, WriteIntent } from '@writecheck/contract';
import type { CommitEntryResult, CommitRequest, CommitResult } from '@writecheck/store/port';
import { type Answer, jsonText, NO_HEADERS } from '../exchange/answer.ts';
import { endedMessage } from '../exchange/credential.ts';
import { problemAnswer, problemText } from '../exchange/problem-answer.ts';
import { type Refusal, refuse, storeUnavailable } from '../exchange/refusal.ts';
import type { SteadyClock } from '../support/clocks/steady-clock.ts';
import type { Metrics } from '../support/observability/metrics.ts';
import type { StepTrace } from '../support/observability/step-trace.ts';
import { rememberLast } from '../support/remember-last.ts';
import type { Counters } from './counters.ts';
import type { Decided } from './decide-checks.ts';
import type { GroupCommit } from './group-commit.ts';
import { withBinding } from './idempotency-binding.ts';
import type { ParsedRequest } from './parse-request.ts';
import { quotaHeaders, quotaRefusal, storedEnough } from './quota.ts';
import type { Basis } from './read-basis.ts';
import { RECEIPTS_APPLIED, type Receipts } from './receipts.ts';
import type { RecentAllows } from './recent-allows.ts';
import type { UsedUp } from './used-up.ts';

export interface CommitParts {
  readonly clock: SteadyClock;
  readonly commits: GroupCommit;
  readonly usedUp: UsedUp;
  readonly recentAllows: RecentAllows;
  readonly receipts: Receipts;
  readonly metrics: Pick<Metrics, 'decided' | 'limitBeyond'> | null;
  readonly trace: StepTrace | null;
}

/** The response, or the result of a commit that recorded nothing and whose caller has another step to take. */
export async function commitDecisions(
  parts: CommitParts,
  parsed: ParsedRequest,
  decided: readonly Decided[],
  basis: Basis,
  counters: Counters | null,
): Promise<Answer | Extract<CommitResult, { kind: 'twin' | 'decide_again' }>> {
  const ended = parts.trace?.begin('commit');
  const submitted = await parts.commits.submit(requestOf(parsed, decided, basis));
  counters?.settle(submitted);
  ended?.({ 'writecheck.outcome': submitted.kind });
  switch (submitted.kind) {
    case 'decide_again':
    case 'twin':
      return submitted;
    case 'ended': {
      const { code } = submitted;
      return problemAnswer(parsed.context, refuse(code, endedMessage(code, parsed.key.hint)));
    }
    case 'stored_enough':
      return problemAnswer(parsed.context, ...storedEnough(parsed.context.nowMs));
    case 'unavailable':
      return problemAnswer(parsed.context, storeUnavailable(submitted.failure.message));
    case 'done':
      return release(parts, parsed, decided, submitted.entries);
  }
}

/** The response if the month is known to be used up, before anything is verified, decided or queued. */
export function monthUsedUp(parts: CommitParts, parsed: ParsedRequest): Answer | null {
  const { key, quota, checks, frame, context } = parsed;
  const { usedUp } = parts;
  if (quota === null || !usedUp.has(key.workspace, key.kind, context.nowMs, performance.now())) return null;
  const refusal = quotaRefusal(key.kind, quota, context.nowMs);
  const reached = frame.endOverQuota === undefined ? checks : checks.slice(0, 1);
  const answers = reached.map(() => refusal);
  return respond(parsed, answers, 'block', quota);
}

/** The commit checks that neither the freezes nor the policy of the basis have changed since. */
function requestOf(
  parsed: ParsedRequest,
  decided: readonly Decided[],
  { freezes, snapshot }: Basis,
): CommitRequest {
  const { key, quota, idempotency, wantsReceipts } = parsed;
  const request = {
    workspace: key.workspace,
    keyId: key.id,
    keyKind: key.kind,
    freezeNumber: freezes.number,
    quota,
    entries: decided.map(({ entry }) => entry),
    idempotency: null,
    bundle: { digest: snapshot.digest, hasLimits: snapshot.limits.length > 0 },
    proven: wantsReceipts,
  };
  return idempotency === null ? request : withBinding(request, parsed, idempotency, decided);
}

async function release(
  parts: CommitParts,
  parsed: ParsedRequest,
  decided: readonly Decided[],
  outcomes: readonly CommitEntryResult[],
): Promise<Answer> {
  const { clock, usedUp, recentAllows, receipts, metrics, trace } = parts;
  const { key, quota, context, frame, wantsReceipts } = parsed;
  clock.saw(context.nowMs);
  let used = 0;
  let last = decided.at(-1)!.decision.decision;
  const answers: (string | Refusal)[] = [];
  for (const [i, outcome] of outcomes.entries()) {
    used = outcome.used;
    if (outcome.kind === 'quota_exceeded') {
      answers.push(quotaRefusal(key.kind, quota, context.nowMs));
      if (frame.endOverQuota === undefined) continue;
      last = 'block';
      break;
    }
    const { decision, draft, beyond } = decided[i]!;
    if (decision.decision === 'allow') recentAllows.add(outcome.decisionId, key.id);
    for (const effect of beyond) metrics?.limitBeyond(effect);
    metrics?.decided(decision.decision, decision.reasonCode);
    trace?.note({
      'writecheck.workspace': key.workspace,
      'writecheck.decision': decision.decision,
      'writecheck.reason_code': decision.reasonCode,
      'writecheck.decision_id': outcome.decisionId,
      ...toolCallNames(parsed.checks[i]!.intent),
    });
    const receipt = wantsReceipts ? receipts.textOf(outcome) : null;
    answers.push(draft.release(outcome, receipt instanceof Promise ? await receipt : receipt));
  }
  if (quota !== null) {
    usedUp.learn(key.workspace, key.kind, used >= quota, context.nowMs, performance.now());
  }
  return respond(parsed, answers, last, used);
}

/**
 * `answers` has for each check the text of a durable decision, or the refusal if it is over quota. A single check over
 * quota is refused as a whole; in a batch its error takes its place. `last` is the decision of the last of them, and
 * `used` counts this month's checks.
 */
function respond(
  { key, quota, context, frame, isBatch, wantsReceipts, form }: ParsedRequest,
  answers: readonly (string | Refusal)[],
  last: Decision,
  used: number,
): Answer {
  const headers = quota === null ? NO_HEADERS : quotaHeaders(key.kind, quota, used, context.nowMs);
  const applied = wantsReceipts ? { ...headers, ...RECEIPTS_APPLIED } : headers;
  if (!isBatch) {
    const [answer] = answers as [string | Refusal];
    return typeof answer === 'string' ? jsonText(answer, applied) : problemAnswer(context, answer, headers);
  }
  const errorText = rememberLast(
    (refusal: Refusal) => form?.errorText(refusal) ?? problemText(context, refusal),
  );
  const texts = answers.map((answer) => (typeof answer === 'string' ? answer : errorText(answer)));
  return jsonText(frame.around(texts, last), applied);
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
