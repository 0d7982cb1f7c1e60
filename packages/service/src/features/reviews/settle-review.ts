/** Applies the time and the policy to an open review, which may be over before anybody notices. */
import { type Changed, changed, type Unchanged, unchanged } from './act-result.ts';
import { type ControlOf, isCurrent } from './approval.ts';
import { entryOf } from './entries.ts';
import type { Review } from './review.ts';

/** Every act on a review begins here. Expiry comes before outdating, because the review's time ended first. */
export function settle(review: Review, controlOf: ControlOf, nowMs: number): Changed | Unchanged {
  if (review.state !== 'open') return unchanged(review);
  if (review.expiresAtMs <= nowMs) return expire(review, nowMs);
  return isCurrent(review, controlOf) ? unchanged(review) : outdate(review, nowMs);
}

/** It stopped being open when its time was over, not when somebody noticed. */
export function expire(review: Review, nowMs: number): Changed {
  return changed(review, { state: 'expired', resolvedAtMs: review.expiresAtMs }, (expired) => [
    entryOf(expired, 'expired', null, nowMs),
  ]);
}

/** The policy now requires another review of this write. */
export function outdate(review: Review, nowMs: number): Changed {
  return changed(review, { state: 'cancelled', because: 'outdated', resolvedAtMs: nowMs }, (outdated) => [
    entryOf(outdated, 'cancelled', null, nowMs, { because: 'outdated' }),
  ]);
}
