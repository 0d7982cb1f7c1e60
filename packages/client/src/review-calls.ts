/** Opens, reads and waits for reviews. Nothing here runs a write. */
import { callService } from './call-service.ts';
import type { NoDecisionCause } from './decision-types.ts';
import { isReviewId, judgeReview, type ReviewExpectation } from './judge-review.ts';
import { isOutage } from './local-decision.ts';
import type { AbortSignalLike } from './platform.ts';
import type { OpenOptions, Review, ReviewAnswer, WaitOptions } from './review-types.ts';
import type { Settings } from './settings.ts';

/** The service asks for it with `Retry-After`. */
const POLL_MS = 2_000;

export async function openReview(
  settings: Settings,
  decisionId: string,
  options: OpenOptions,
  expected: ReviewExpectation = {},
): Promise<ReviewAnswer> {
  const { justification, onBehalfOf, externalRef, signal } = options;
  // INVARIANT: opening twice for one write gives one review, so this POST may be retried without an Idempotency-Key.
  const called = await callService(settings, {
    path: '/v1/reviews',
    body: JSON.stringify({ decision_id: decisionId, justification, onBehalfOf, externalRef }),
    alsoStatus: 201,
    expects: 'a review',
    signal,
  });
  return called.kind === 'unanswered' ? called : judgeReview(called.value, expected);
}

/**
 * Resolves when the review is no longer open or the time is over; the review then says which. Outages are waited out.
 * A response that is not this review ends the wait immediately.
 */
export async function waitForReview(
  settings: Settings,
  reviewId: string,
  { waitMs = 0, signal }: WaitOptions,
  intentDigest?: string,
): Promise<ReviewAnswer> {
  const wrong = isReviewId(reviewId) ? waitFault(waitMs) : fault('the id of a review starts with `rev_`');
  if (wrong !== undefined) return { kind: 'unanswered', cause: wrong };
  const deadlineMs = performance.now() + waitMs;
  let last: ReviewAnswer | undefined;
  for (;;) {
    const answer = await readReview(settings, reviewId, intentDigest, signal);
    // The last valid response still counts after an outage: it said `open`.
    if (answer.kind === 'review' || !isTransient(answer.cause)) last = answer;
    else last ??= answer;
    if (answer.kind === 'review' ? answer.review.state !== 'open' : !isTransient(answer.cause)) return answer;
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0) return last;
    await sleep(Math.min(leftMs, POLL_MS), signal);
    if (signal?.aborted) return { kind: 'unanswered', cause: ABORTED };
  }
}

/** The newest approved reviews of a write that this key may see. */
export async function approvedReviews(
  settings: Settings,
  intentDigest: string,
  signal: AbortSignalLike | undefined,
): Promise<readonly Review[]> {
  const called = await callService(settings, {
    path: `/v1/reviews?state=approved&limit=5&intentDigest=${encodeURIComponent(intentDigest)}`,
    expects: 'a list of reviews',
    signal,
  });
  const { reviews } = (called.kind === 'answered' ? called.value : {}) as { readonly reviews?: unknown };
  if (!Array.isArray(reviews)) return [];
  return reviews.flatMap((review) => {
    const judged = judgeReview({ review }, { intentDigest });
    return judged.kind === 'review' ? [judged.review] : [];
  });
}

async function readReview(
  settings: Settings,
  id: string,
  intentDigest: string | undefined,
  signal: AbortSignalLike | undefined,
): Promise<ReviewAnswer> {
  const called = await callService(settings, { path: `/v1/reviews/${id}`, expects: 'a review', signal });
  return called.kind === 'unanswered' ? called : judgeReview(called.value, { id, intentDigest });
}

/** An outage, a late response, or a request to retry later: none says anything about the review. */
export function isTransient(cause: NoDecisionCause): boolean {
  return isOutage(cause) || cause.kind === 'expired' || cause.status === 429;
}

export function waitFault(waitMs: unknown): NoDecisionCause | undefined {
  return typeof waitMs === 'number' && waitMs >= 0 ? undefined : fault('`waitMs` must be a number from 0');
}

const ABORTED: NoDecisionCause = { kind: 'aborted', message: 'the caller aborted the wait' };

function fault(message: string): NoDecisionCause {
  return { kind: 'client_fault', message };
}

function sleep(ms: number, signal: AbortSignalLike | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
