/** Runs a write only on a valid allow, and takes a pause to the reviewers if the caller wants that. */
import type { WriteIntent } from '@writecheck/contract';
import type { CallOptions, GuardOptions, IntentSource, ResumeOptions } from './client-types.ts';
import type { AllowDecision, GuardOutcome, LocalDecision, WriteDecision } from './decision-types.ts';
import { usedEvidence } from './judge-review.ts';
import { isOutage, localDecision } from './local-decision.ts';
import { waitFault, waitForReview } from './review-calls.ts';
import {
  type Asking,
  askWith,
  isNamed,
  type Paused,
  type Prepared,
  settle,
  stop,
  summaryOf,
  takeSnapshot,
  throughReview,
} from './through-review.ts';
import { current, unusable } from './verdict.ts';

type Write<T> = (decision: AllowDecision | LocalDecision) => T | PromiseLike<T>;

export async function guardWrite<T>(
  asking: Asking,
  source: IntentSource,
  write: Write<T>,
  options: GuardOptions | undefined,
): Promise<GuardOutcome<T>> {
  // INVARIANT: only an own property counts; a polluted prototype must not unprotect a write.
  const unprotected =
    options instanceof Object && Object.hasOwn(options, 'unprotected') && options.unprotected === true;
  const first = await prepared(() => firstQuestion(asking, source, options));
  const second =
    first.kind === 'paused' ? await prepared(() => throughReview(asking, first, options)) : first;
  // INVARIANT: after a pause only an allow runs the write.
  return finish(second, write, options, unprotected && first.kind === 'asked');
}

export async function resumeWrite<T>(
  asking: Asking,
  reviewId: string,
  source: IntentSource,
  write: Write<T>,
  options: ResumeOptions | undefined,
): Promise<GuardOutcome<T>> {
  const resumed = await prepared(async () => {
    const { waitMs = 0, signal } = options ?? {};
    const answer = await waitForReview(asking.settings, reviewId, {
      waitMs,
      ...(signal === undefined ? {} : { signal }),
    });
    if (answer.kind === 'unanswered') return stop(localDecision(answer.cause), { cause: answer.cause });
    const { review } = answer;
    const decision = localDecision({
      kind: 'not_approved',
      message: `the review \`${review.id}\` gives no approval; its state is ${review.state}`,
    });
    const isLost = review.state === 'approved' && review.because === 'used' && isNamed(options);
    if (isLost) return askWith(asking, { source, review, items: usedEvidence(review), decision, options });
    return settle(asking, { source, review, needed: [], decision, options });
  });
  return finish(resumed, write, options, false);
}

async function firstQuestion(
  { ask }: Asking,
  source: IntentSource,
  options: GuardOptions | undefined,
): Promise<Prepared | Paused> {
  const review = options?.review;
  const fault = review === undefined ? undefined : waitFault(review.waitMs);
  if (fault !== undefined) return stop(localDecision(fault), {});
  const snapshot = await takeSnapshot(source);
  if (snapshot === undefined) return { kind: 'asked', verdict: unusable() };
  const verdict = await ask(snapshot, options);
  const decision = current(verdict, options?.signal);
  if (review === undefined || decision.origin === 'client' || decision.decision !== 'pause')
    return { kind: 'asked', verdict };
  const { decision_id: decisionId, review: offered } = decision;
  const controls: unknown = offered?.controls;
  if (typeof decisionId !== 'string' || !isNames(controls)) return stop(decision, {});
  // An intent that is an object was read at the time of the call; later changes to it must not matter.
  const again = typeof source === 'function' ? source : () => JSON.parse(snapshot.json) as WriteIntent;
  const repeated = verdict.repeated === true;
  return { kind: 'paused', source: again, snapshot, decision, decisionId, controls, repeated };
}

async function finish<T>(
  prepared: Prepared,
  write: Write<T>,
  options: CallOptions | undefined,
  unprotected: boolean,
): Promise<GuardOutcome<T>> {
  if (prepared.kind === 'stopped') return prepared.outcome;
  const decision: WriteDecision = current(prepared.verdict, options?.signal);
  const review = prepared.review === undefined ? {} : { review: summaryOf(prepared.review) };
  if (decision.decision === 'allow')
    return { executed: true, decision, result: await write(decision), ...review };
  if (unprotected && decision.origin === 'client' && isOutage(decision.cause)) {
    return { executed: true, unprotected: true, decision, result: await write(decision) };
  }
  return { executed: false, decision, ...review };
}

/** INVARIANT: any error before the write ends as a block; it must not reach the caller as an exception. */
async function prepared<P>(prepare: () => Promise<P>): Promise<P | Prepared> {
  try {
    return await prepare();
  } catch {
    return stop(localDecision({ kind: 'client_fault', message: 'the check failed inside the client' }), {});
  }
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string');
}
