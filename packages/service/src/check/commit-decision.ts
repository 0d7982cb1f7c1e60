/** Makes a decision durable, and only then releases its response. */
import type { WriteIntent } from '@writecheck/contract';
import type { CommitResult, Committed } from '@writecheck/store/port';
import { type Answer, jsonText, NO_HEADERS } from '../exchange/answer.ts';
import { endedMessage } from '../exchange/credential.ts';
import { problemAnswer } from '../exchange/problem-answer.ts';
import { refuse, storeUnavailable } from '../exchange/refusal.ts';
import type { SteadyClock } from '../support/clocks/steady-clock.ts';
import type { Metrics } from '../support/observability/metrics.ts';
import type { StepTrace } from '../support/observability/step-trace.ts';
import type { Counters } from './counters.ts';
import type { Decided } from './decide-check.ts';
import type { GroupCommit } from './group-commit.ts';
import type { ParsedRequest } from './parse-request.ts';
import { quotaHeaders, quotaRefusal, storedEnough } from './quota.ts';
import type { RecentAllows } from './recent-allows.ts';
import type { UsedUp } from './used-up.ts';

export interface CommitParts {
  readonly clock: SteadyClock;
  readonly commits: GroupCommit;
  readonly usedUp: UsedUp;
  readonly recentAllows: RecentAllows;
  readonly metrics: Pick<Metrics, 'decided' | 'limitBeyond'> | null;
  readonly trace: StepTrace | null;
}

/** The response, or the result of a commit that recorded nothing and whose caller has another step to take. */
export async function commitDecision(
  parts: CommitParts,
  parsed: ParsedRequest,
  decided: Decided,
  counters: Counters | null,
): Promise<Answer | Extract<CommitResult, { kind: 'twin' | 'decide_again' }>> {
  const ended = parts.trace?.begin('commit');
  const submitted = await parts.commits.submit(decided.request);
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
    case 'quota_exceeded':
      parts.usedUp.learn(
        parsed.key.workspace,
        parsed.key.kind,
        true,
        parsed.context.nowMs,
        performance.now(),
      );
      return overQuota(parsed, submitted.used);
    case 'committed':
      return release(parts, parsed, decided, submitted);
  }
}

/** The response if the month is known to be used up, before anything is verified, decided or queued. */
export function monthUsedUp({ usedUp }: CommitParts, parsed: ParsedRequest): Answer | null {
  const { key, quota, context } = parsed;
  if (quota === null || !usedUp.has(key.workspace, key.kind, context.nowMs, performance.now())) return null;
  return overQuota(parsed, quota);
}

function release(
  { clock, usedUp, recentAllows, metrics, trace }: CommitParts,
  parsed: ParsedRequest,
  { decision, draft, beyond }: Decided,
  committed: Committed,
): Answer {
  const { key, quota, context } = parsed;
  clock.saw(context.nowMs);
  if (quota !== null)
    usedUp.learn(key.workspace, key.kind, committed.used >= quota, context.nowMs, performance.now());
  if (decision.decision === 'allow') recentAllows.add(committed.decisionId, key.id);
  for (const effect of beyond) metrics?.limitBeyond(effect);
  metrics?.decided(decision.decision, decision.reasonCode);
  trace?.note({
    'writecheck.workspace': key.workspace,
    'writecheck.decision': decision.decision,
    'writecheck.reason_code': decision.reasonCode,
    'writecheck.decision_id': committed.decisionId,
    ...toolCallNames(parsed.intent),
  });
  const headers = quota === null ? NO_HEADERS : quotaHeaders(key.kind, quota, committed.used, context.nowMs);
  return jsonText(draft.release(committed), headers);
}

/** `used` counts this month's checks. */
function overQuota({ key, quota, context }: ParsedRequest, used: number): Answer {
  // INVARIANT: only a key with a quota exceeds it.
  const headers = quotaHeaders(key.kind, quota!, used, context.nowMs);
  return problemAnswer(context, quotaRefusal(key.kind, quota!, context.nowMs), headers);
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
