/** The thresholds from which an observing profile may be promoted. */

import type { Assessment } from '@writecheck/api';
import { DAY_MS } from '@writecheck/contract';

/** `maxStopped` is a share from 0 to 1. */
export type Thresholds = Assessment['thresholds'];

export const DEFAULT_THRESHOLDS: Thresholds = { minDays: 7, minDecisions: 100, maxStopped: 0.05 };

export type Reason = Assessment['reasons'][number];

/** The thresholds that are not met; meeting one exactly is enough. */
export function unmetThresholds(
  { minDays, minDecisions, maxStopped }: Thresholds,
  observedMs: number,
  decisions: number,
  stoppedShare: number,
): readonly Reason[] {
  const reasons: Reason[] = [];
  // Rounded down, so that too few days never look like enough.
  const days = Math.floor((observedMs / DAY_MS) * 100) / 100;
  if (observedMs < minDays * DAY_MS) reasons.push({ code: 'days', have: days, need: minDays });
  if (decisions < minDecisions) reasons.push({ code: 'decisions', have: decisions, need: minDecisions });
  if (stoppedShare > maxStopped) reasons.push({ code: 'stopped', have: stoppedShare, need: maxStopped });
  return reasons;
}

/** Laxer thresholds than the defaults are a way of forcing. */
export function isAsStrictAsDefault({ minDays, minDecisions, maxStopped }: Thresholds): boolean {
  return (
    minDays >= DEFAULT_THRESHOLDS.minDays &&
    minDecisions >= DEFAULT_THRESHOLDS.minDecisions &&
    maxStopped <= DEFAULT_THRESHOLDS.maxStopped
  );
}
