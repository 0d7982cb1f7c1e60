/**
 * Reviews as the store sees them: one row per review with its document, written by compare-and-swap together with the
 * log entries about it. The code above the store decides what may happen to a review, once for both stores.
 */
import type { ReviewState } from '@writecheck/contract';
import type { CheckingKeyKind, ReviewEntry } from '@writecheck/ledger/log';

/** The members by which the store finds reviews; the rest is in the document, which only `reviews/` reads. */
export interface StoredReview {
  readonly workspace: string;
  /** `rev_...` */
  readonly id: string;
  /** Starts at 1; every change adds one. */
  readonly version: number;
  readonly state: ReviewState;
  readonly intentDigest: string;
  readonly keyKind: CheckingKeyKind;
  readonly system: string;
  readonly objectRef: string | null;
  /** A digest of system, object, field and value, folded; `earlier` finds similar writes by it. */
  readonly likeness: string;
  readonly controlIds: readonly string[];
  /** The ids of the keys that asked; the first asker comes first. */
  readonly askedBy: readonly string[];
  readonly openedAtMs: number;
  readonly expiresAtMs: number;
  /** When it stopped being open. */
  readonly resolvedAtMs: number | null;
  /** A JSON object. Pruning reads its `decisionId` and `validUntilMs`; a restored backup sets its `because`. */
  readonly document: string;
}

/** A review as read: includes whether an allow has used the approval up, which the commit of that allow records. */
export interface FoundReview extends StoredReview {
  readonly isUsed: boolean;
}

/** A review with the policy that ran when it was read: an approval counts only under the running rule. */
export interface ReviewAtCheck extends FoundReview {
  /** Null before the first bundle. */
  readonly runningDigest: string | null;
}

export interface ReviewChange {
  /** The row after the change. Its version is one more than that of the row it was made from; 1 for a new review. */
  readonly review: StoredReview;
  /** Its log entries, at least one. */
  readonly entries: readonly ReviewEntry[];
  /**
   * Set for a cancelled approval: revokes it in the same commit, for checks, replays and redemptions. It is revoked
   * under the review's id and under `ID:CONTROL` for each of its controls, because an allow may depend on any of them.
   */
  readonly revokes?: true;
}

/** Checked inside the transaction for every new review among the changes, against the key that asked first. */
export interface OpenLimits {
  readonly openOfKeyMax: number;
  /** Counts reviews that this key was the first to ask for, opened after `sinceMs`. */
  readonly openedOfKeyMax: number;
  readonly sinceMs: number;
  readonly openOfWorkspaceMax: number;
}

export type ChangeReviewsOutcome =
  | { readonly kind: 'changed' }
  /** A row or person has another version, or an open review of this write exists: read again and decide again. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'too_many'; readonly which: 'open_of_key' | 'opened_of_key' | 'open_of_workspace' };

export interface PersonVersion {
  readonly id: string;
  readonly version: number;
}

export interface ReviewQuery {
  readonly workspace: string;
  readonly state?: ReviewState;
  readonly system?: string;
  readonly objectRef?: string;
  readonly controlId?: string;
  readonly intentDigest?: string;
  /**
   * Selects reviews that one of these keys opened. A checking key may see its own and those of the keys that it was
   * rotated from.
   */
  readonly askedByAnyOf?: readonly string[];
  /** A `nextCursor` of an earlier page. */
  readonly cursor?: string;
  readonly limit: number;
}

export type ReviewPage =
  | {
      readonly kind: 'page';
      /** Open ones by `expiresAtMs`, then the others newest (by `resolvedAtMs`) first; ties by id. */
      readonly reviews: readonly FoundReview[];
      readonly nextCursor: string | null;
    }
  | { readonly kind: 'bad_cursor' };
