/** Reviews as a checking key sees them. */
import type { EvidenceItem, Remediation, ReviewState } from '@writecheck/contract';
import type { Unanswered } from './decision-types.ts';
import type { AbortSignalLike } from './platform.ts';

/** The members that the client has checked have exact types; the others are as the service sent them. */
export interface Review {
  readonly id: string;
  readonly state: ReviewState;
  /** Where a person finds it. */
  readonly url: string;
  /** The write it is about, and nothing else. */
  readonly intentDigest: string;
  readonly controls: readonly { readonly controlId: string }[];
  /** Why an approval no longer counts, or why the review was cancelled. */
  readonly because?: string;
  /** Present only while the approval would count. */
  readonly evidence?: readonly EvidenceItem[];
  readonly alsoNeeded?: readonly Remediation[];
  readonly verdicts?: readonly { readonly verdict?: string; readonly comment?: string | null }[];
  readonly resolvedAt?: string | null;
  readonly validUntil?: string | null;
  readonly [member: string]: unknown;
}

/** The caller's own words; reviewers see them marked as such. */
export interface ReviewRequest {
  readonly justification?: string;
  /** The person who gave the agent its task, for example by e-mail address. */
  readonly onBehalfOf?: string;
  /** An http or https address of a ticket or a page. */
  readonly externalRef?: string;
}

export interface ReviewOptions extends ReviewRequest {
  /**
   * How long to wait for the reviewers. With 0 the review is opened, and the write runs only if it is already approved.
   */
  readonly waitMs: number;
}

export interface OpenOptions extends ReviewRequest {
  readonly signal?: AbortSignalLike | undefined;
}

export interface WaitOptions {
  /** How long to wait while the review is open; 0 by default. */
  readonly waitMs?: number;
  readonly signal?: AbortSignalLike | undefined;
}

export type ReviewAnswer = { readonly kind: 'review'; readonly review: Review } | Unanswered;
