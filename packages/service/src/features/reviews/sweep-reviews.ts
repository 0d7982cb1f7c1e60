/** Closes overdue reviews, so that the log says so too. */
import { changeOf } from './commit-changes.ts';
import { reviewOf } from './review.ts';
import type { ReviewParts } from './review-parts.ts';
import { expire } from './settle-review.ts';

const SWEPT_AT_ONCE = 100;

/** Resolves with the number of closed reviews. */
export async function sweepReviews(parts: ReviewParts, nowMs: number): Promise<number> {
  let swept = 0;
  for (;;) {
    const overdue = await parts.store.overdueReviews(nowMs, SWEPT_AT_ONCE);
    let closed = 0;
    for (const found of overdue) {
      const change = expire(reviewOf(found), nowMs);
      // Another process closed it first, which is just as good.
      if ((await parts.store.changeReviews([changeOf(change)])).kind !== 'changed') continue;
      parts.changed(change);
      closed += 1;
    }
    swept += closed;
    if (overdue.length < SWEPT_AT_ONCE || closed === 0) return swept;
  }
}
