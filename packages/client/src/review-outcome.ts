/** What an outcome says about its review. */

export const REVIEW_STATES = ['open', 'approved', 'rejected', 'expired', 'cancelled'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

export interface ReviewSummary {
  readonly id: string;
  readonly url: string;
  readonly state: ReviewState;
}

/** How a review stopped the write. */
export type ReviewStop = 'rejected' | 'expired' | 'cancelled' | 'out_of_time' | 'changed_since_approval';
