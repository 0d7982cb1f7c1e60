/** Decides whether a response is a review the client may act on, and whether its evidence fits the write. */
import { type EvidenceItem, given, REVIEW_DESK, REVIEW_STATES } from '@writecheck/contract';
import type { NoDecisionCause } from './decision-types.ts';
import { own } from './own.ts';
import type { Review, ReviewAnswer } from './review-types.ts';

export interface ReviewExpectation {
  /** The requested review; omitted when one is opened. */
  readonly id?: string;
  /** The digest of the write it must be about. */
  readonly intentDigest?: string | undefined;
}

const REVIEW_ID = /^rev_[0-9A-Za-z]{1,64}$/;
const URL_LENGTH_MAX = 2048;

export function isReviewId(id: unknown): id is string {
  return typeof id === 'string' && REVIEW_ID.test(id);
}

/** `answer` is the whole body, `{"review": {...}}`. */
export function judgeReview(answer: unknown, expected: ReviewExpectation): ReviewAnswer {
  const review = own(answer, 'review');
  const fault = findFault(review, expected);
  if (fault !== undefined) return { kind: 'unanswered', cause: notAReview(fault) };
  return { kind: 'review', review: review as Review };
}

/**
 * The evidence of an approved review, or undefined if any of it does not fit.
 * INVARIANT: exactly one PASS for each control of the review, every control in `needed` among them, and every item
 * names this review. Anything else would let one review's approval stand for another's.
 */
export function fittingEvidence(
  review: Review,
  needed: readonly string[],
): readonly EvidenceItem[] | undefined {
  const items = own(review, 'evidence');
  if (!Array.isArray(items)) return undefined;
  const controls = new Set(review.controls.map(({ controlId }) => controlId));
  const named = new Set(items.map((item) => own(item, 'controlId')));
  const fits =
    items.length === controls.size &&
    named.size === controls.size &&
    [...needed].every((control) => controls.has(control)) &&
    items.every(
      (item) =>
        controls.has(own(item, 'controlId') as string) &&
        own(item, 'source') === REVIEW_DESK &&
        own(item, 'result') === 'PASS' &&
        own(item, 'evidenceRef') === `urn:writecheck:review:${review.id}` &&
        own(item, 'attestation') === undefined &&
        isTextOrAbsent(own(item, 'checkedAt')) &&
        isTextOrAbsent(own(item, 'expiresAt')),
    );
  if (!fits) return undefined;
  // Only these members are passed on: nothing else in the response may become part of the request.
  return review.controls.map(({ controlId }) => {
    const { checkedAt, expiresAt } = items.find((item) => item.controlId === controlId) as EvidenceItem;
    return evidenceItem(review, controlId, checkedAt, expiresAt);
  });
}

/** The evidence of a used approval, byte for byte: a repeated call needs it to get its own allow back. */
export function usedEvidence(review: Review): readonly EvidenceItem[] | undefined {
  const { resolvedAt, validUntil } = review;
  if (typeof resolvedAt !== 'string' || typeof validUntil !== 'string') return undefined;
  return review.controls.map(({ controlId }) => evidenceItem(review, controlId, resolvedAt, validUntil));
}

function evidenceItem(
  review: Review,
  controlId: string,
  checkedAt: string | undefined,
  expiresAt: string | undefined,
): EvidenceItem {
  return {
    controlId,
    source: REVIEW_DESK,
    result: 'PASS',
    ...given({ checkedAt, expiresAt }),
    evidenceRef: `urn:writecheck:review:${review.id}`,
  };
}

export function notAReview(fault: string): NoDecisionCause {
  return { kind: 'invalid_answer', message: `the response is not the review: ${fault}` };
}

function findFault(review: unknown, expected: ReviewExpectation): string | undefined {
  if (typeof review !== 'object' || review === null || Array.isArray(review)) return 'it has no `review`';
  const id = own(review, 'id');
  if (!isReviewId(id)) return 'its `id` is not the id of a review';
  if (expected.id !== undefined && id !== expected.id) return 'it is another review';
  if (!REVIEW_STATES.includes(own(review, 'state') as never)) return 'its `state` is not known';
  const digest = own(review, 'intentDigest');
  if (typeof digest !== 'string' || (expected.intentDigest !== undefined && digest !== expected.intentDigest))
    return 'its `intentDigest` is that of another intent';
  if (!isWebAddress(own(review, 'url'))) return 'its `url` is not an http or https address';
  const controls = own(review, 'controls');
  if (!Array.isArray(controls) || controls.length === 0) return 'it names no `controls`';
  const names = controls.map((control) => own(control, 'controlId'));
  if (!names.every((name) => typeof name === 'string' && name !== '') || new Set(names).size < names.length)
    return 'its `controls` do not all have a different id';
  return isTextOrAbsent(own(review, 'because') ?? undefined) ? undefined : 'its `because` is not text';
}

function isWebAddress(url: unknown): boolean {
  return typeof url === 'string' && url.length <= URL_LENGTH_MAX && /^https?:\/\/[!-~]+$/.test(url);
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
