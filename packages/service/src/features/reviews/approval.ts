/** Tells whether an approval still counts, and gives its evidence while it does. */
import { type EvidenceItem, isoTime, REVIEW_DESK } from '@writecheck/contract';
import type { Control } from '@writecheck/engine';
import type { Review, ReviewedControl } from './review.ts';

/** Finds a control of the running policy, as far as reviews need it. */
export type ControlOf = (controlId: string) => Pick<Control, 'review' | 'maxAgeMs'>;

/** The present epoch of a person or an owner key; null if they are not active, or it is revoked. */
export type EpochOf = (approverId: string) => number | null;

type Approval = 'good' | 'used' | 'run_out' | 'disabled' | 'outdated';

/** Whether the running rules are those the review was opened under. */
export function isCurrent({ controls }: Review, controlOf: ControlOf): boolean {
  return controls.every(({ controlId, rule }) => controlOf(controlId).review?.canonical === rule.canonical);
}

/** Final states come first, so that the result never changes once given. */
export function approvalOf(review: Review, controlOf: ControlOf, epochOf: EpochOf, nowMs: number): Approval {
  if (review.isUsed) return 'used';
  if (review.validUntilMs === null || review.validUntilMs <= nowMs) return 'run_out';
  // Disabling and resetting somebody both end an epoch, and so does revoking an owner key.
  if (review.restsOn.some(({ id, epoch }) => epochOf(id) !== epoch)) return 'disabled';
  return isCurrent(review, controlOf) ? 'good' : 'outdated';
}

/**
 * The same for an approval about to be used: a control's own max age counts too, because an approval that is too
 * old for it would only pause again. A check leaves that to the engine, which reports `stale`.
 */
export function approvalToUse(
  review: Review,
  controlOf: ControlOf,
  epochOf: EpochOf,
  nowMs: number,
): Approval {
  const approval = approvalOf(review, controlOf, epochOf, nowMs);
  const isTooOld = review.controls.some(({ controlId }) => {
    const { maxAgeMs } = controlOf(controlId);
    return maxAgeMs !== null && nowMs - review.resolvedAtMs! > maxAgeMs;
  });
  return approval === 'good' && isTooOld ? 'run_out' : approval;
}

/**
 * Whether somebody gave an approval for this control who may not: one of these people, who hold or made the key
 * that would use it.
 */
export function isOwnApproval(
  { restsOn }: Review,
  { controlId, rule }: ReviewedControl,
  keyOwners: readonly string[],
): boolean {
  if (rule.selfReview) return false;
  return restsOn.some(({ id, controls }) => controls.includes(controlId) && keyOwners.includes(id));
}

const REFERENCE = 'urn:writecheck:review:';
const REVIEW_ID = /^rev_[0-9a-f]{32}$/;

export function evidenceOf({ id, controls, resolvedAtMs, validUntilMs }: Review): readonly EvidenceItem[] {
  return controls.map(({ controlId }) => ({
    controlId,
    source: REVIEW_DESK,
    result: 'PASS',
    checkedAt: isoTime(resolvedAtMs!),
    expiresAt: isoTime(validUntilMs!),
    evidenceRef: `${REFERENCE}${id}`,
  }));
}

/** The review that an item of evidence refers to; null if none. */
export function reviewReferredTo({ evidenceRef }: EvidenceItem): string | null {
  if (evidenceRef?.startsWith(REFERENCE) !== true) return null;
  const id = evidenceRef.slice(REFERENCE.length);
  return REVIEW_ID.test(id) ? id : null;
}
