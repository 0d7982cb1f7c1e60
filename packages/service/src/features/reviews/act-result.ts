/** The result of an act on a review: the review afterwards and its log entries, or why it is refused. */
import type { ReviewEntry } from '@writecheck/ledger/log';
import { type Refusal, refuse, refuseFor } from '../../exchange/refusal.ts';
import type { Review } from './review.ts';

export interface Changed {
  readonly kind: 'changed';
  /** The review after the change, with its next version. */
  readonly review: Review;
  readonly entries: readonly ReviewEntry[];
  /** The approval was taken back. */
  readonly revokes?: true;
}

/** Nothing happened that belongs in the log: the review is already as requested. */
export interface Unchanged {
  readonly kind: 'unchanged';
  readonly review: Review;
}

export type ActResult = Changed | Unchanged | Refusal;

export function changed(
  from: Review,
  members: Partial<Review>,
  entries: (review: Review) => readonly ReviewEntry[],
): Changed {
  const review = { ...from, ...members, version: from.version + 1 };
  return { kind: 'changed', review, entries: entries(review) };
}

export function unchanged(review: Review): Unchanged {
  return { kind: 'unchanged', review };
}

const CLOSED = {
  open: 'the review is open',
  approved: 'the review was approved',
  rejected: 'the review was rejected',
  expired: 'the review expired before it was decided',
  cancelled: 'the review was cancelled',
} as const;

export function reviewClosed({ state, because }: Review): Refusal {
  const outdated = 'the review was cancelled because the policy now requires another review; open a new one';
  return refuse('review_closed', because === 'outdated' ? outdated : CLOSED[state]);
}

const TRY_AGAIN_MS = 60_000;

/** Refuses because a limit is reached; the caller must wait until something else ends. */
export function tooMany(message: string): Refusal {
  return refuseFor(TRY_AGAIN_MS, 'rate_limited', message);
}
