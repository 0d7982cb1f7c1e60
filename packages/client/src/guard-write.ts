/** Runs a write only on a valid allow, and sends a pause to the reviewers if the caller wants that. */
import type { OutcomeResult, WriteIntent } from '@writecheck/contract';
import { takeAllow } from './ask-once.ts';
import type { GuardOptions, IntentSource, ResumeOptions, RunOptions } from './client-types.ts';
import type { AllowDecision, GuardOutcome, LocalDecision, WriteDecision } from './decision-types.ts';
import { usedEvidence } from './judge-review.ts';
import { clientFault, isOutage, localDecision } from './local-decision.ts';
import { isNotWritten } from './not-written.ts';
import { reportOutcome } from './report-outcome.ts';
import { waitFault, waitForReview } from './review-calls.ts';
import { startRun } from './run.ts';
import { stopOf } from './stop-of.ts';
import {
  askWith,
  type Inquirer,
  isNamed,
  type Paused,
  type Prepared,
  settle,
  stop,
  summaryOf,
  takeSnapshot,
  throughReview,
} from './through-review.ts';
import { current, unusable } from './timed-decision.ts';

type Write<T> = (decision: AllowDecision | LocalDecision) => T | PromiseLike<T>;

/** What a client provides to each run of a guard. */
export type Lent = Omit<Inquirer, 'run'>;

export async function guardWrite<T>(
  lent: Lent,
  source: IntentSource,
  write: Write<T>,
  options: GuardOptions | undefined,
): Promise<GuardOutcome<T>> {
  // INVARIANT: only an own property counts; a polluted prototype must not unprotect a write.
  const unprotected =
    options instanceof Object && Object.hasOwn(options, 'unprotected') && options.unprotected === true;
  const asking: Inquirer = { ...lent, run: startRun(lent.settings, options) };
  const first = await prepared(() => firstQuestion(asking, source, options));
  const second =
    first.kind === 'paused' ? await prepared(() => throughReview(asking, first, options)) : first;
  // INVARIANT: after a pause only an allow runs the write.
  return finish(asking, second, write, options, unprotected && first.kind === 'asked');
}

export async function resumeWrite<T>(
  lent: Lent,
  reviewId: string,
  source: IntentSource,
  write: Write<T>,
  options: ResumeOptions | undefined,
): Promise<GuardOutcome<T>> {
  const asking: Inquirer = { ...lent, run: startRun(lent.settings, options) };
  const resumed = await prepared(async () => {
    const { waitMs = 0, signal } = options ?? {};
    const answer = await waitForReview(asking.settings, reviewId, { waitMs, signal });
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
  return finish(asking, resumed, write, options, false);
}

async function firstQuestion(
  { ask, run }: Inquirer,
  source: IntentSource,
  options: GuardOptions | undefined,
): Promise<Prepared | Paused> {
  const review = options?.review;
  const fault = review === undefined ? undefined : waitFault(review.waitMs);
  if (fault !== undefined) return stop(localDecision(fault), {});
  const snapshot = await takeSnapshot(source);
  if (snapshot === undefined) return { kind: 'asked', verdict: unusable() };
  const verdict = await ask(snapshot, options, run);
  const decision = current(verdict, options?.signal);
  if (review === undefined || decision.origin === 'client' || decision.decision !== 'pause')
    return { kind: 'asked', verdict };
  // No approval lifts a freeze.
  if (stopOf(decision).stopped === 'frozen') return { kind: 'asked', verdict };
  const { decision_id: decisionId, review: offered } = decision;
  const controls: unknown = offered?.controls;
  if (typeof decisionId !== 'string' || !isNames(controls)) return stop(decision, {});
  // An intent that is an object was read at the time of the call; later changes to it must not matter.
  const again = typeof source === 'function' ? source : () => JSON.parse(snapshot.json) as WriteIntent;
  const repeated = verdict.repeated === true;
  return { kind: 'paused', source: again, snapshot, decision, decisionId, controls, repeated };
}

async function finish<T>(
  asking: Inquirer,
  found: Prepared,
  write: Write<T>,
  options: RunOptions | undefined,
  unprotected: boolean,
): Promise<GuardOutcome<T>> {
  const { settings, run } = asking;
  const ready =
    found.kind === 'stopped'
      ? found
      : await prepared(async (): Promise<Prepared> => {
          return { ...found, verdict: await takeAllow(settings, run, found.verdict, options) };
        });
  if (ready.kind === 'stopped') return ready.outcome;
  const decision: WriteDecision = current(ready.verdict, options?.signal);
  const review = ready.review === undefined ? {} : { review: summaryOf(ready.review) };
  if (decision.decision === 'allow') {
    const report = (result: OutcomeResult) =>
      run.reports ? reportOutcome(settings, decision, result) : undefined;
    return { executed: true, decision, result: await reported(() => write(decision), report), ...review };
  }
  if (unprotected && decision.origin === 'client' && isOutage(decision.cause)) {
    return { executed: true, unprotected: true, decision, result: await write(decision) };
  }
  return { executed: false, decision, ...review, ...stopOf(decision) };
}

/** An exception does not prove that nothing was written, unless it says so. */
async function reported<T>(
  write: () => T | PromiseLike<T>,
  report: (result: OutcomeResult) => void,
): Promise<T> {
  let result: T;
  try {
    result = await write();
  } catch (error) {
    report(isNotWritten(error) ? 'failed' : 'unknown');
    throw error;
  }
  report('done');
  return result;
}

/** INVARIANT: any error before the write ends as a block; it must not reach the caller as an exception. */
async function prepared<P>(prepare: () => Promise<P>): Promise<P | Prepared> {
  try {
    return await prepare();
  } catch (error) {
    return stop(localDecision(clientFault('the check failed inside the client', error)), {});
  }
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string');
}
