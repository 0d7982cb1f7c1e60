/** A review as a value: everything known about it, and the row that the store keeps. */
import type { Remediation } from '@writecheck/contract';
import type { ReviewRule, ReviewTerms } from '@writecheck/engine';
import type { FoundReview, StoredReview } from '@writecheck/store/port/reviews';
import type { Author, Commenter, Identity } from './author.ts';

export interface ReviewedControl {
  readonly controlId: string;
  /** The rule when the review was opened; a different running rule makes the review outdated. */
  readonly rule: ReviewRule;
}

export interface Verdict {
  readonly verdict: 'approve' | 'reject';
  readonly by: Author;
  /** The identity that the verdict itself proves, not the strongest that its author could have. */
  readonly identity: Identity;
  /** The controls it speaks for, in the review's order. */
  readonly controls: readonly string[];
  readonly comment: string | null;
  readonly atMs: number;
  /** The epoch of the person who gave it; null for an owner key. */
  readonly epoch: number | null;
  /** The passkey that signed it. */
  readonly credentialId: string | null;
  /** Tells its assertion from every other, see `give-verdict.ts`. */
  readonly mark: string | null;
}

/** Somebody whose approval counted when the review was approved. */
export interface Approver extends Author {
  readonly epoch: number;
  /** The controls that the approval counted for. */
  readonly controls: readonly string[];
}

export interface Comment {
  readonly text: string;
  readonly by: Commenter;
  readonly atMs: number;
}

/** One for each key. Only the caller vouches for everything except the key's id. */
export interface Asker {
  readonly keyId: string;
  readonly justification: string | null;
  readonly onBehalfOf: string | null;
  readonly externalRef: string | null;
  readonly atMs: number;
}

/** The write as the first decision that opened the review describes it. */
export interface ReviewedWrite
  extends Pick<StoredReview, 'workspace' | 'intentDigest' | 'keyKind' | 'system' | 'objectRef' | 'likeness'> {
  readonly decisionId: string;
  /** JSON as received. INVARIANT: only the strict parser reads it again. */
  readonly intentText: string;
  readonly alsoNeeded: readonly Remediation[];
}

type Columns = 'id' | 'version' | 'state' | 'openedAtMs' | 'expiresAtMs' | 'resolvedAtMs' | 'isUsed';

export interface Review extends Pick<FoundReview, Columns> {
  readonly write: ReviewedWrite;
  /** Why the review was cancelled; null unless it was. */
  readonly because: 'cancelled' | 'outdated' | null;
  readonly controls: readonly ReviewedControl[];
  /** The meaning of an approval, by the policy when the review was opened. */
  readonly terms: Pick<ReviewTerms, 'confirms' | 'different'>;
  readonly verdicts: readonly Verdict[];
  readonly comments: readonly Comment[];
  readonly askedBy: readonly Asker[];
  /** The people who opened it; like the keys in `askedBy`, they asked for the write. */
  readonly openedBy: readonly string[];
  /** The people and the owner key who gave the approval; empty unless approved. */
  readonly restsOn: readonly Approver[];
  /** The marks of assertions that came with verdicts that were withdrawn or replaced: none may come back. */
  readonly spentMarks: readonly string[];
  /** When the approval expires; null unless the review is approved. */
  readonly validUntilMs: number | null;
}

type Document = Omit<Review, Columns | 'write'> &
  Pick<ReviewedWrite, 'decisionId' | 'intentText' | 'alsoNeeded'>;

export function reviewOf(found: FoundReview): Review {
  const { decisionId, intentText, alsoNeeded, ...told } = JSON.parse(found.document) as Document;
  const { workspace, intentDigest, keyKind, system, objectRef, likeness } = found;
  const { id, version, state, openedAtMs, expiresAtMs, resolvedAtMs, isUsed } = found;
  const target = { system, objectRef, likeness };
  return {
    ...told,
    id,
    version,
    state,
    openedAtMs,
    expiresAtMs,
    resolvedAtMs,
    isUsed,
    write: { ...target, workspace, decisionId, intentDigest, keyKind, intentText, alsoNeeded },
  };
}

export function rowOf(review: Review): StoredReview {
  const { id, version, state, openedAtMs, expiresAtMs, resolvedAtMs, isUsed: _, write, ...told } = review;
  const { decisionId, intentText, alsoNeeded, ...found } = write;
  const document: Document = { ...told, decisionId, intentText, alsoNeeded };
  return {
    ...found,
    id,
    version,
    state,
    controlIds: told.controls.map(({ controlId }) => controlId),
    askedBy: [...new Set(told.askedBy.map(({ keyId }) => keyId))],
    openedAtMs,
    expiresAtMs,
    resolvedAtMs,
    document: JSON.stringify(document),
  };
}
