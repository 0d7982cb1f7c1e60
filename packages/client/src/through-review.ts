/** Leads a pause to its second check: opens the review, waits, and asks again with its evidence. */
import { type EvidenceItem, given, type WriteIntent } from '@writecheck/contract';
import { takeAllow } from './ask-once.ts';
import type { CallOptions, GuardOptions, IntentSource } from './client-types.ts';
import type { LocalDecision, NoDecisionCause, Stop, StopDecision, StoppedOutcome } from './decision-types.ts';
import { fittingEvidence, notAReview, usedEvidence } from './judge-review.ts';
import { localDecision } from './local-decision.ts';
import { approvedReviews, isTransient, openReview, waitForReview } from './review-calls.ts';
import type { ReviewSummary } from './review-outcome.ts';
import type { Review } from './review-types.ts';
import type { Run } from './run.ts';
import type { Settings } from './settings.ts';
import { digestOf, type IntentSnapshot, sha256, snapshotIntent } from './snapshot-intent.ts';
import { stopOf } from './stop-of.ts';
import { current, type TimedDecision, unusable } from './timed-decision.ts';

export interface Inquirer {
  readonly settings: Settings;
  readonly run: Run;
  ask(snapshot: IntentSnapshot, options: CallOptions | undefined, run?: Run): Promise<TimedDecision>;
}

/** The result before the write: a verdict that may be an allow, or the outcome of a write that must not run. */
export type Prepared =
  | { readonly kind: 'asked'; readonly verdict: TimedDecision; readonly review?: Review }
  | { readonly kind: 'stopped'; readonly outcome: StoppedOutcome };

export interface Paused {
  readonly kind: 'paused';
  readonly source: IntentSource;
  readonly snapshot: IntentSnapshot;
  readonly decision: StopDecision;
  readonly decisionId: string;
  readonly controls: readonly string[];
  readonly repeated: boolean;
}

export async function throughReview(
  asking: Inquirer,
  { source, snapshot, decision, decisionId, controls, repeated }: Paused,
  options: GuardOptions | undefined,
): Promise<Prepared> {
  const { settings } = asking;
  const { waitMs = 0, ...request } = options?.review ?? {};
  const signal = options?.signal;
  const given = signal === undefined ? {} : { signal };
  const intentDigest = await digestOf(snapshot);
  if (repeated && isNamed(options)) {
    const lost = await lostAllow(asking, { source, intentDigest, decision, options });
    if (lost !== undefined) return lost;
  }
  let answer = await openReview(settings, decisionId, { ...request, ...given }, { intentDigest });
  if (answer.kind === 'review' && answer.review.state === 'open' && asking.run.claim && isNamed(options)) {
    // Another run of this call may have used the approval meanwhile. If not, the stored pause comes back.
    const verdict = await asking.ask(snapshot, options, asking.run);
    if (isAllowOrTaken(verdict)) return { kind: 'asked', verdict, review: answer.review };
  }
  if (answer.kind === 'review' && answer.review.state === 'open' && waitMs > 0) {
    const { review } = answer;
    answer = await waitForReview(settings, review.id, { waitMs, ...given }, intentDigest);
    if (answer.kind === 'unanswered') {
      const outOfTime = isTransient(answer.cause) ? { stopped: 'out_of_time' as const } : {};
      return stop(endOf(answer.cause, decision), { review, cause: answer.cause, ...outOfTime });
    }
  }
  if (answer.kind === 'unanswered') return stop(endOf(answer.cause, decision), { cause: answer.cause });
  return settle(asking, { source, review: answer.review, needed: controls, decision, options });
}

/** The allow that this very call got on a used approval, before its response was lost or its write failed. */
async function lostAllow(
  asking: Inquirer,
  call: Pick<Approval, 'source' | 'decision' | 'options'> & { readonly intentDigest: string },
): Promise<Prepared | undefined> {
  const { intentDigest, ...rest } = call;
  const reviews = await approvedReviews(asking.settings, intentDigest, call.options?.signal);
  const review = reviews.find(({ because }) => because === 'used');
  if (review === undefined) return undefined;
  const lost = await askWith(asking, { ...rest, review, items: usedEvidence(review) });
  return lost.kind === 'asked' && isAllowOrTaken(lost.verdict) ? lost : undefined;
}

function isAllowOrTaken(verdict: TimedDecision): boolean {
  return verdict.decision.decision === 'allow' || isTaken(verdict);
}

function isTaken({ decision }: TimedDecision): boolean {
  return decision.decision !== 'allow' && stopOf(decision).stopped === 'taken';
}

interface Approval {
  readonly source: IntentSource;
  readonly review: Review;
  readonly items: readonly EvidenceItem[] | undefined;
  /** The decision of the outcome if there is no second check. */
  readonly decision: StopDecision | LocalDecision;
  readonly options: CallOptions | undefined;
}

export async function settle(
  asking: Inquirer,
  { needed, ...given }: Omit<Approval, 'items'> & { readonly needed: readonly string[] },
): Promise<Prepared> {
  const { review, decision } = given;
  if (review.state === 'open') return stop(decision, { review, stopped: 'out_of_time' });
  if (review.state !== 'approved') return stop(decision, { review, stopped: review.state });
  const { because } = review;
  if (because === 'used' && isNamed(given.options)) {
    // Perhaps by another run of this call, which then has its allow. A used approval gives no other.
    const lost = await askWith(asking, { ...given, items: usedEvidence(review) });
    if (lost.kind === 'asked') {
      const verdict = await takeAllow(asking.settings, asking.run, lost.verdict, given.options);
      if (isTaken(verdict)) return { ...lost, verdict };
    }
  }
  if (typeof because === 'string') {
    const message = `the approval no longer counts: ${because.slice(0, 100)}`;
    return stop(decision, { review, cause: { kind: 'not_approved', message } });
  }
  return askWith(asking, { ...given, items: fittingEvidence(review, needed) });
}

/** Checks again, with what the caller would write now and the evidence of the review. */
export async function askWith(
  { ask, run }: Inquirer,
  { source, review, items, decision, options }: Approval,
): Promise<Prepared> {
  if (items === undefined)
    return stop(decision, { review, cause: notAReview('its `evidence` does not fit the write') });
  const now = await takeSnapshot(source);
  if (now === undefined) return stop(current(unusable()) as LocalDecision, { review });
  if ((await digestOf(now)) !== review.intentDigest)
    return stop(decision, { review, stopped: 'changed_since_approval' });
  const intent = JSON.parse(now.json) as WriteIntent;
  const own: unknown = intent.controlEvidence ?? [];
  if (!Array.isArray(own)) return stop(current(unusable()) as LocalDecision, { review });
  const snapshot = snapshotIntent({ ...intent, controlEvidence: [...own, ...items] });
  if (snapshot.kind === 'unusable') return stop(current(unusable()) as LocalDecision, { review });
  const named = run.claim === undefined ? await renamed(options, snapshot) : options;
  return { kind: 'asked', verdict: await ask(snapshot, named, run), review };
}

/** INVARIANT: the second check has its own key, and a repeat of the call uses that same key again. */
async function renamed(
  options: CallOptions | undefined,
  { json }: IntentSnapshot,
): Promise<CallOptions | undefined> {
  // With `callId` the key follows from the body, which is different now.
  if (options?.idempotencyKey === undefined || options.callId !== undefined) return options;
  return { ...options, idempotencyKey: await sha256(JSON.stringify([options.idempotencyKey, json])) };
}

export async function takeSnapshot(source: IntentSource): Promise<IntentSnapshot | undefined> {
  try {
    const snapshot = snapshotIntent(typeof source === 'function' ? await source() : source);
    return snapshot.kind === 'unusable' ? undefined : snapshot;
  } catch {
    return undefined;
  }
}

export function stop(
  decision: StopDecision | LocalDecision,
  {
    review,
    stopped,
    cause,
  }: { readonly review?: Review; readonly stopped?: Stop; readonly cause?: NoDecisionCause },
): Prepared & { readonly kind: 'stopped' } {
  const outcome: StoppedOutcome = {
    executed: false,
    decision,
    ...(review === undefined ? {} : { review: summaryOf(review) }),
    ...(stopped === undefined ? stopOf(decision) : { stopped }),
    ...given({ cause }),
  };
  return { kind: 'stopped', outcome };
}

/** If the caller gave up, the decision says so; otherwise the pause stands. */
function endOf(cause: NoDecisionCause, decision: StopDecision): StopDecision | LocalDecision {
  return cause.kind === 'aborted' ? localDecision(cause) : decision;
}

export function summaryOf({ id, url, state }: Review): ReviewSummary {
  return { id, url, state };
}

export function isNamed(options: CallOptions | undefined): boolean {
  return options?.callId !== undefined || options?.idempotencyKey !== undefined;
}
