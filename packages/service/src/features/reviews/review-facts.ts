/**
 * Finds what a check may trust about an item that refers to a review: that a person approved this very write, or
 * nothing.
 */
import { type ApprovalFacts, type EvidenceItem, parseInstant } from '@writecheck/contract';
import type { AttestationChecks } from '@writecheck/engine';
import type { CheckingKeyKind } from '@writecheck/store/port';
import { approvalOf, type ControlOf, type EpochOf, isOwnApproval } from './approval.ts';
import type { Review } from './review.ts';

export interface ReviewCheck {
  readonly workspace: string;
  readonly intentDigest: string;
  readonly keyKind: CheckingKeyKind;
  readonly controlOf: ControlOf;
  readonly epochOf: EpochOf;
  /** The people who hold or made the key that asks, or one it was rotated from. */
  readonly keyOwners: readonly string[];
  readonly nowMs: number;
}

const WORTHLESS = {
  used: 'its approval was used before',
  run_out: 'the approval it refers to has run out',
  disabled: 'the approval it refers to rests on somebody, or on an owner key, that may no longer approve',
  outdated: 'the policy now requires a different review from the one it refers to',
} as const;

/**
 * INVARIANT: verified only if every statement about the review holds. `review` is the one that the item refers to, as
 * the store has it now; null if the workspace has none with that id.
 */
export function factsOf(item: EvidenceItem, review: Review | null, check: ReviewCheck): AttestationChecks {
  if (review === null || review.write.workspace !== check.workspace) {
    return reject('no approved review stands behind it');
  }
  if (item.attestation !== undefined) return reject('evidence of a review carries no attestation');
  if (item.result !== 'PASS') return reject('a review gives no other result than PASS');
  const { write, state } = review;
  if (write.intentDigest !== check.intentDigest) return reject('the review it refers to is of another write');
  if (write.keyKind !== check.keyKind) return reject(`the review it refers to is for ${write.keyKind} keys`);
  const control = review.controls.find(({ controlId }) => controlId === item.controlId);
  if (control === undefined) return reject('the review it refers to is about other controls');
  const { resolvedAtMs, validUntilMs } = review;
  if (state !== 'approved' || resolvedAtMs === null || validUntilMs === null) {
    return reject(`the review it refers to is ${state}, not approved`);
  }
  const approval = approvalOf(review, check.controlOf, check.epochOf, check.nowMs);
  if (approval !== 'good') return reject(WORTHLESS[approval]);
  if (isOwnApproval(review, control, check.keyOwners)) {
    return reject('the person who holds or made this key approved the review it refers to');
  }
  if (!isSameMoment(item.checkedAt, resolvedAtMs) || !isSameMoment(item.expiresAt, validUntilMs)) {
    return reject('its `checkedAt` or `expiresAt` is not that of the review it refers to');
  }
  return {
    kind: 'verified',
    jti: `${review.id}:${item.controlId}`,
    checkedAtMs: resolvedAtMs,
    expiresAtMs: validUntilMs,
    boundToDigest: true,
    boundToObject: true,
    revoked: false,
    usedUp: false,
    approval: approvalFacts(review, item.controlId),
  };
}

/** INVARIANT: all owner keys of a workspace are one author. */
function approvalFacts({ restsOn, terms }: Review, controlId: string): ApprovalFacts {
  const counted = restsOn.filter(({ controls }) => controls.includes(controlId));
  return {
    by: counted.map(({ kind, id }) => (kind === 'owner_key' ? kind : id)),
    confirmsAuthority: terms.confirms === controlId,
  };
}

function reject(why: string): AttestationChecks {
  return { kind: 'rejected', why };
}

/** Both times may be omitted. */
function isSameMoment(stated: string | undefined, ms: number): boolean {
  if (stated === undefined) return true;
  const instant = parseInstant(stated);
  return instant?.hasOffset === true && instant.fraction.length <= 3 && instant.ms === ms;
}
