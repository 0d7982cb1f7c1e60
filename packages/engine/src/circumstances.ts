/** The circumstances of a check that the service knows, besides its evidence and the policies. */
import type { LimitReading, MatchingFreeze } from '@writecheck/contract';
import type { AppliedLimit } from './apply-limits.ts';

export interface Circumstances {
  /** The active freezes that match the intent, oldest first. */
  readonly freezes: readonly MatchingFreeze[];
  /** The draws of the limits that apply; one without a reading counts as exceeded. */
  readonly readings?: readonly LimitReading[];
  /** The first key in the rotation chain of the requesting key, for limits that count by key. */
  readonly firstKeyId?: string;
  /** What `limitsOn` found from the same input, so that it need not be found again. */
  readonly applied?: readonly AppliedLimit[] | undefined;
}

export const NO_CIRCUMSTANCES: Circumstances = { freezes: [] };
