/**
 * The result of verifying an evidence item's attestation: plain data, so that a record can be decided again
 * offline.
 */
import type { JsonObject } from './write-intent.ts';

export type AttestationChecks =
  /** The item carries no attestation, or no rule that may apply needs one, so it was not verified. */
  | { readonly kind: 'none' }
  /** Carries one that does not verify: forged, of another workspace, value, control, result or time, unknown key. */
  | { readonly kind: 'rejected'; readonly why: string }
  /** Signature, header, audience and claims hold, and the item does not contradict its claims. */
  | {
      readonly kind: 'verified';
      readonly jti: string;
      readonly checkedAtMs: number;
      /** Null if the attestation has no `exp`; it then counts only for a control with a max age. */
      readonly expiresAtMs: number | null;
      readonly boundToDigest: boolean;
      readonly boundToObject: boolean;
      readonly revoked: boolean;
      readonly usedUp: boolean;
      /**
       * Set only for an item of the review desk. If it is missing, the approver is unknown and the item confirms
       * nothing.
       */
      readonly approval?: ApprovalFacts;
      /** The facts that the source signed about the record; absent if the attestation has no such claim. */
      readonly facts?: JsonObject;
    };

/** The meaning of an approval when it was given. */
export interface ApprovalFacts {
  /** The ids of those whose approvals counted for this control. All owner keys of a workspace are one author. */
  readonly by: readonly string[];
  /** Whether the review asked them to confirm authority with this control. */
  readonly confirmsAuthority: boolean;
}

export const NO_ATTESTATION: AttestationChecks = { kind: 'none' };
