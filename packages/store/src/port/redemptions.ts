/** Redeeming a decision, once. */
import type { ConsumedAttestation } from '@writecheck/contract';
import type { EndedCode } from './acting.ts';
import type { IdempotencyBinding } from './commit.ts';
import type { CheckingKeyKind } from './keys.ts';

export interface Redemption {
  readonly workspace: string;
  readonly decisionId: string;
  readonly keyId: string;
  readonly keyKind: CheckingKeyKind;
  readonly atMs: number;
  /** Null if none was sent. Until `expiresAtMs` the key is valid for this redemption and for nothing else. */
  readonly idempotency: Pick<IdempotencyBinding, 'key' | 'requestDigest' | 'expiresAtMs'> | null;
  readonly intentDigest: string;
  /** When it was decided: the policy revision that ran then must still be the running one. */
  readonly decidedAtMs: number;
  /** The kept response to the check that decided it, if it came with an idempotency key: that key is kept longer. */
  readonly answer: { readonly expiresAtMs: number; readonly keptUntilMs: number };
  /** The number of the newest freeze or lift that its caller knew. */
  readonly freezeNumber: number;
  /** Whether a freeze up to that number, newer than the decision, matches it. */
  readonly isFrozen: boolean;
  /** This and the next members must still hold at the commit: the running bundle, the evidence, and the time. */
  readonly policyRef: string | null;
  readonly restsOn: readonly ConsumedAttestation[];
  readonly validUntilMs: number;
}

export type RedeemOutcome =
  | { readonly kind: 'redeemed'; readonly redeemedAtMs: number }
  /** The same request under the same idempotency key redeemed it before. */
  | { readonly kind: 'same'; readonly redeemedAtMs: number }
  /** The idempotency key was used before: with another body, for another decision, or for a check. */
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'already_redeemed' }
  /** The key was revoked since it was authenticated. */
  | { readonly kind: 'ended'; readonly code: EndedCode }
  /** There is a newer freeze or lift than the caller knew: nothing was done. */
  | { readonly kind: 'judge_again' }
  | { readonly kind: 'frozen' }
  /** It was carried out, or failed, according to its outcome. */
  | { readonly kind: 'over' }
  | { readonly kind: 'expired' }
  | { readonly kind: 'policy_changed' }
  | { readonly kind: 'evidence_revoked' };

/** How a redemption's key is stored, with the request it came with; a key itself contains no space. */
export function keptRedeemKey({ idempotency }: Redemption): string | null {
  return idempotency === null ? null : `${idempotency.key} ${idempotency.requestDigest}`;
}

/** The digest that binds an idempotency key to a redemption; a check's digest never looks like this. */
export function redeemClaimDigest({ idempotency, decisionId }: Redemption): string | null {
  return idempotency === null ? null : `${idempotency.requestDigest} ${decisionId}`;
}
