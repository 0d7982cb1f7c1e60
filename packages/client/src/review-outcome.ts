/** The review's part of an outcome. */
import type { ReviewState } from '@writecheck/contract';

export interface ReviewSummary {
  readonly id: string;
  readonly url: string;
  readonly state: ReviewState;
}

/** How a review stopped the write. */
export type ReviewStop = 'rejected' | 'expired' | 'cancelled' | 'out_of_time' | 'changed_since_approval';
