/** Judges whether a decision may be redeemed now: one rule for both databases, which check it again as they write. */
import {
  keptRedeemKey,
  type RedeemOutcome,
  type Redemption,
  redeemClaimDigest,
} from '../port/redemptions.ts';

/** The state of the store at the moment of the redemption. */
export interface KnownAtRedemption {
  /** The decision to which the idempotency key is bound; null if the key is free. */
  readonly claimedFor: string | null;
  /** The redemption of the same decision; null if there is none. */
  readonly before: { readonly redeemedAtMs: number; readonly keptKey: string | null } | null;
  /** The running policy; null before the first bundle. */
  readonly policy: { readonly digest: string; readonly createdAtMs: number } | null;
  /** Whether anything that the decision depends on was revoked. */
  readonly isEvidenceRevoked: boolean;
  /** Whether its outcome says that the write is done or failed. */
  readonly isOver: boolean;
}

/** Null if it may be redeemed. The order of the checks decides which of several refusals a caller gets. */
export function judgeRedemption(
  redemption: Redemption,
  { claimedFor, before, policy, isEvidenceRevoked, isOver }: KnownAtRedemption,
): RedeemOutcome | null {
  if (claimedFor !== null && claimedFor !== redeemClaimDigest(redemption)) return { kind: 'key_reused' };
  // A caller that lost the response must not write under a freeze either.
  if (before !== null)
    return redemption.isFrozen ? { kind: 'already_redeemed' } : judgeAgain(redemption, before);
  if (isOver) return { kind: 'over' };
  if (redemption.isFrozen) return { kind: 'frozen' };
  // INVARIANT: an allow is valid before its end and not at it; a time that is not a number is never before it.
  if (!(redemption.atMs < redemption.validUntilMs)) return { kind: 'expired' };
  // A bundle that was replaced and then applied again is another revision.
  const isSame = (policy?.digest ?? null) === redemption.policyRef;
  if (!isSame || (policy?.createdAtMs ?? 0) > redemption.decidedAtMs) return { kind: 'policy_changed' };
  return isEvidenceRevoked ? { kind: 'evidence_revoked' } : null;
}

function judgeAgain(
  redemption: Redemption,
  { redeemedAtMs, keptKey }: NonNullable<KnownAtRedemption['before']>,
): RedeemOutcome {
  const { idempotency } = redemption;
  if (idempotency === null || keptKey === null) return { kind: 'already_redeemed' };
  if (keptKey === keptRedeemKey(redemption)) return { kind: 'same', redeemedAtMs };
  return { kind: keptKey.startsWith(`${idempotency.key} `) ? 'key_reused' : 'already_redeemed' };
}
