/** The reasons why a process may be unable to decide, as metrics name them. */
export const UNREADY_REASONS = ['draining', 'clock_behind', 'clock_ahead', 'forked', 'store'] as const;

export type UnreadyReason = (typeof UNREADY_REASONS)[number];
