/**
 * Explains why an evidence item that says PASS is not trusted: its source, its attestation, its review, or its date.
 */
import { type AttestationChecks, type EvidenceItem, REVIEW_DESK } from '@writecheck/contract';
import type { Control } from './policy/snapshot.ts';

/** An item with the result of its verification. */
export interface CheckedItem {
  readonly item: EvidenceItem;
  readonly facts: AttestationChecks | undefined;
  /** The verified claim if there is one, otherwise the item's own; null if the age cannot be known. */
  readonly checkedAtMs: number | null;
}

export const FUTURE_TOLERANCE_MS = 60_000;

/**
 * What an item must be good for: a required control; the authority gate's `attestedBy`, which needs an attestation
 * bound to the intent's digest whatever the control accepts; or its `confirmedBy`, which needs an approval of the
 * review desk.
 */
export type Purpose = 'control' | 'attestedBy' | 'confirmedBy';

/** Null if the item can be trusted. */
export function whyUntrusted(
  control: Control,
  checked: CheckedItem,
  nowMs: number,
  purpose: Purpose,
): string | null {
  const { item, facts, checkedAtMs } = checked;
  const why =
    item.source === REVIEW_DESK
      ? whyReviewFails(control, facts, purpose)
      : whySourceFails(control, checked, purpose);
  if (why !== null) return why;
  return checkedAtMs !== null && checkedAtMs - nowMs > FUTURE_TOLERANCE_MS
    ? 'it is dated in the future'
    : null;
}

function whySourceFails(control: Control, { item, facts }: CheckedItem, purpose: Purpose): string | null {
  if (purpose === 'confirmedBy') return 'only an approved review confirms authority';
  if (control.sources !== null && !control.sources.includes(item.source)) {
    return 'its source is not among those the control accepts';
  }
  if (item.attestation !== undefined || (facts !== undefined && facts.kind !== 'none')) {
    return whyAttestationFails(control, facts, purpose);
  }
  return control.assurance === 'attested' || purpose === 'attestedBy'
    ? 'it carries no attestation, and the control requires one'
    : null;
}

/**
 * INVARIANT: an approval counts only if the service looked up the review and found it valid for this very check,
 * whatever the control requires and whatever the item contains.
 */
function whyReviewFails(
  control: Control,
  facts: AttestationChecks | undefined,
  purpose: Purpose,
): string | null {
  if (control.review === null) return 'the policy does not let a person approve this control';
  if (purpose === 'attestedBy') return 'a review does not attest authority';
  if (facts === undefined || facts.kind === 'none') return 'no approved review stands behind it';
  if (facts.kind === 'rejected') return facts.why;
  if (!facts.boundToDigest) return 'its review is of another write';
  if (facts.expiresAtMs === null) return 'its approval never expires';
  // INVARIANT: an approval keeps the meaning it had when it was given.
  if (purpose === 'confirmedBy' && facts.approval?.confirmsAuthority !== true)
    return 'whoever approved it was not asked to confirm authority';
  return facts.usedUp ? 'its approval was used before' : null;
}

function whyAttestationFails(
  control: Control,
  facts: AttestationChecks | undefined,
  purpose: Purpose,
): string | null {
  // INVARIANT: an unverified attestation is never trusted.
  if (facts === undefined || facts.kind === 'none') return 'its attestation was not verified';
  if (facts.kind === 'rejected') return facts.why;
  const bound =
    facts.boundToDigest || (control.bindObject && purpose !== 'attestedBy' && facts.boundToObject);
  if (!bound) return 'its attestation is not bound to this intent';
  if (facts.expiresAtMs === null && control.maxAgeMs === null) return 'its attestation never expires';
  if (control.useOnce && facts.usedUp) return 'its attestation was used before';
  return null;
}
