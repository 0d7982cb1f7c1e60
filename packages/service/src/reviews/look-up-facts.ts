/** Looks up the reviews that a check's evidence refers to, and adds what may be trusted of them to its facts. */
import type { WriteIntent } from '@writecheck/contract';
import type { AttestationFacts } from '@writecheck/engine';
import { REVIEW_DESK, type Reviews } from '../store/port/reviews.ts';
import { reviewReferredTo } from './approval.ts';
import { type Review, reviewOf } from './review.ts';
import { factsOf, type ReviewCheck } from './review-facts.ts';

/** `facts` has one element per item of evidence. */
export async function withReviewFacts(
  store: Pick<Reviews, 'findReviews'>,
  { controlEvidence = [] }: WriteIntent,
  facts: readonly AttestationFacts[],
  check: ReviewCheck,
): Promise<readonly AttestationFacts[]> {
  const referred = controlEvidence.map((item) =>
    item.source === REVIEW_DESK ? reviewReferredTo(item) : null,
  );
  const ids = [...new Set(referred.filter((id) => id !== null))];
  const found = ids.length === 0 ? [] : await store.findReviews(check.workspace, ids);
  const reviews = new Map<string, Review>(found.map((each) => [each.id, reviewOf(each)]));
  return controlEvidence.map((item, i) =>
    item.source === REVIEW_DESK
      ? factsOf(item, reviews.get(referred[i] ?? '') ?? null, check)
      : (facts[i] as AttestationFacts),
  );
}
