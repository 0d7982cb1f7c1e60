/**
 * The common part of every adapter: makes the intent of a tool call, checks it, then runs the tool or says why
 * not.
 */
import {
  type AbortSignalLike,
  type AllowDecision,
  type GuardOutcome,
  isNotWritten,
  type LocalDecision,
  localDecision,
  type ReviewSummary,
  type RunOptions,
  type Stop,
  type StopDecision,
  type WriteIntent,
} from '@writecheck/client';
import { given, shown } from '@writecheck/contract';
import { isInvalidArguments } from './invalid-arguments.ts';
import {
  type CallToName,
  type NamedWrite,
  type NamingSettings,
  nameWrite,
  withArguments,
} from './name-write.ts';
import { stopMessage, stopMessageOf } from './stop-message.ts';

export type { NamedCall, ReviewedCall, ReviewMode } from './name-write.ts';

export interface StoppedCall {
  readonly tool: string;
  readonly decision: StopDecision | LocalDecision;
  /** The message that the model sees. */
  readonly message: string;
  /** Omitted if the mapping failed to make one. */
  readonly intent?: WriteIntent;
  /** The review that was opened for it; a person finds it at its `url`. */
  readonly review?: ReviewSummary;
  /** A review (`out_of_time` while it is open), another run of the call (`taken`), a freeze or a limit. */
  readonly stopped?: Stop;
  /** Set with `limit`: when it has room again; null if unknown. */
  readonly resetsAt?: string | null;
  /**
   * The error that the mapping threw. It is for the application; the model sees it only if it is an
   * `InvalidArguments`.
   */
  readonly error?: unknown;
}

/** The caller's part: how to check, and what to do with a stopped call. */
export interface GuardSettings extends NamingSettings, Pick<RunOptions, 'once' | 'outcomes'> {
  /** Called for a stopped call, for example to notify a person. It is awaited; errors reach the framework. */
  readonly onStopped?: (stopped: StoppedCall) => void | PromiseLike<void>;
}

export interface ToolCall<T> extends CallToName {
  readonly run: (decision: AllowDecision) => T | PromiseLike<T>;
  /** Recognizes the failure of a tool that reports it instead of throwing it. */
  readonly hasFailed?: (result: T) => boolean;
  /** The error of such a tool, if known. */
  readonly thrown?: () => unknown;
  /** The framework's own signal: when it gives up on the call, a late allow must not run the tool. */
  readonly signal?: AbortSignalLike | undefined;
}

export type GuardedCall<T> =
  | { readonly kind: 'executed'; readonly result: T }
  | { readonly kind: 'stopped'; readonly stopped: StoppedCall };

/** INVARIANT: `run` is reached only through `guardWrite`. Throws what `run` or `onStopped` throws, nothing else. */
export async function guardCall<T>(settings: GuardSettings, call: ToolCall<T>): Promise<GuardedCall<T>> {
  const { tool } = call;
  let named: NamedWrite;
  try {
    named = await nameWrite(settings, call);
  } catch (error) {
    return stop(settings, { tool, decision: notMapped(tool, error), error });
  }
  let outcome: GuardOutcome<T>;
  try {
    outcome = await ask(settings, call, named);
  } catch (error) {
    if (error instanceof ReportedFailure) return { kind: 'executed', result: error.result as T };
    throw error;
  }
  if (outcome.executed) return { kind: 'executed', result: outcome.result };
  const { decision, review, stopped, resetsAt } = outcome;
  const { intent } = named;
  const message = await stopMessageOf(settings, outcome, named);
  return stop(settings, { tool, decision, intent, ...given({ review, stopped, resetsAt }) }, message);
}

/** Carries a result that reports a failure past the guard, so that it is not reported as done. */
class ReportedFailure extends Error {
  readonly result: unknown;
  readonly writecheckNotWritten: boolean;

  constructor(result: unknown, thrown: unknown) {
    super('the tool reported its failure');
    this.result = result;
    this.writecheckNotWritten = isNotWritten(thrown);
  }
}

/**
 * Finds the open review that a call waits for, for a framework that asks about approval before it runs the call. If
 * there is none, the call continues to its guard, which runs it or says why not. Never rejects.
 * INVARIANT: it never takes an allow, which would be lost to the guard.
 */
export async function openReviewFor(
  settings: GuardSettings,
  call: Omit<ToolCall<unknown>, 'run' | 'hasFailed'>,
): Promise<ReviewSummary | undefined> {
  try {
    const { client } = settings;
    const { intent, review } = await nameWrite(settings, call);
    if (review === undefined) return undefined;
    const given = call.signal === undefined ? {} : { signal: call.signal };
    // A check that is allowed would use up evidence, so it is sent only if it would pause.
    const needed = await client.requirements(intent, given);
    if (needed.kind !== 'requirements' || needed.evaluated.decision !== 'pause') return undefined;
    const decision = await client.checkWrite(intent, given);
    if (decision.decision !== 'pause' || decision.review === undefined) return undefined;
    if (decision.decision_id === undefined) return undefined;
    const { waitMs: _, ...request } = review;
    const answer = await client.openReview(decision.decision_id, { ...request, ...given });
    if (answer.kind !== 'review' || answer.review.state !== 'open') return undefined;
    const { id, url, state } = answer.review;
    return { id, url, state };
  } catch {
    return undefined;
  }
}

async function ask<T>(
  settings: GuardSettings,
  call: ToolCall<T>,
  { intent, callId, review }: NamedWrite,
): Promise<GuardOutcome<T>> {
  const { run, hasFailed, thrown, signal } = call;
  const { once, outcomes } = settings;
  return settings.client.guardWrite(
    // The mapping runs again after a wait, so that its evidence is fresh.
    settings.review === 'wait' ? recheckedIntent(intent, call) : intent,
    async (decision) => {
      // `unprotected` is never set here, so only an allow gets here.
      const result = await run(decision as AllowDecision);
      if (hasFailed?.(result)) throw new ReportedFailure(result, thrown?.());
      return result;
    },
    { signal, callId, once, outcomes, review },
  );
}

function recheckedIntent<T>(intent: WriteIntent, { makeIntent, args }: ToolCall<T>) {
  let made: WriteIntent | undefined = intent;
  return async (): Promise<WriteIntent> => {
    const first = made;
    made = undefined;
    return first ?? withArguments(await makeIntent(), args).intent;
  };
}

/** An unlisted tool may write: it is not run, whatever its name promises. */
export function refuseUnlisted(settings: GuardSettings, tool: string): Promise<GuardedCall<never>> {
  const message = `the tool \`${shown(tool)}\` is neither mapped to an intent nor listed as read`;
  return stop(settings, { tool, decision: localDecision({ kind: 'invalid_intent', message }) });
}

function notMapped(tool: string, error: unknown): LocalDecision {
  const message = isInvalidArguments(error)
    ? error.message
    : `the mapping of the tool \`${shown(tool)}\` cannot build an intent from these arguments`;
  return localDecision({ kind: 'invalid_intent', message });
}

async function stop(
  { onStopped }: GuardSettings,
  call: Omit<StoppedCall, 'message'>,
  message?: string,
): Promise<GuardedCall<never>> {
  const { tool, error, decision } = call;
  const corrected = isInvalidArguments(error)
    ? `Not executed: ${error.message}. Nothing was written. Correct the arguments of \`${tool}\` and call it again.`
    : stopMessage(decision);
  const stopped = { ...call, message: message ?? corrected };
  await onStopped?.(stopped);
  return { kind: 'stopped', stopped };
}
