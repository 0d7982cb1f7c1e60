/**
 * What happened to a review, as the log tells it: ids and public keys, never names or addresses. Each event is one
 * entry, so that an auditor can follow a review from its opening to its end without the database.
 */

export type ReviewEvent =
  | 'opened'
  | 'asked'
  | 'verdict'
  | 'withdrawn'
  | 'commented'
  | 'approved'
  | 'rejected'
  | 'expired'
  | 'cancelled';

export interface ReviewEntry {
  readonly kind: 'review';
  readonly event: ReviewEvent;
  /** `rev_...` */
  readonly review: string;
  readonly workspace: string;
  readonly intentDigest: string;
  readonly timestamp: string;
  /** Null where nobody did it: its time ran out, or its rules changed. */
  readonly by: { readonly kind: 'person' | 'owner_key' | 'checking_key'; readonly id: string } | null;
  /**
   * What the event needs to be understood and verified. `opened`: decisionId, keyKind, controls with their rules,
   * expiresAt, reopens. `asked`: keyId. `verdict`: verdict, controls, comment, identity, assertion. `commented`: the
   * digest of the text. `approved`: validUntil. `cancelled`: because.
   */
  readonly details: { readonly [name: string]: unknown };
}
