/** What the service knows about the moment of a check, besides its evidence and the policies. */
import type { MatchingFreeze } from '@writecheck/contract';

export interface Circumstances {
  /** The active freezes that match the intent, oldest first. */
  readonly freezes: readonly MatchingFreeze[];
}

export const NO_CIRCUMSTANCES: Circumstances = { freezes: [] };
