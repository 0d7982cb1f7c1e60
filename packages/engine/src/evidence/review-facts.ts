/** Finds approvals of the review desk in a check, which only the service can look up. */
import { REVIEW_DESK, type WriteIntent } from '@writecheck/contract';

/** Cheap, and false for nearly every request, which then needs no lookup. */
export function needsReviewFacts({ controlEvidence }: WriteIntent): boolean {
  return controlEvidence?.some(({ source }) => source === REVIEW_DESK) ?? false;
}
