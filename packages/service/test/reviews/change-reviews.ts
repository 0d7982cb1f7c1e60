/** Work for a process of a torture test: changes reviews as fast as they are acknowledged. */
import type { Store } from '@writecheck/store/port';
import {
  newReview,
  next,
  opening,
} from '../../../store/test/store-contract/store-contract-reviews-values.ts';

/** Opens, comments on and closes reviews without end, and says after each change what was acknowledged. */
export const changeWithoutEnd = async (store: Store, workspace: string): Promise<never> => {
  for (;;) {
    const atMs = Date.now();
    const opened = opening(newReview(workspace, { openedAtMs: atMs }));
    const commented = next(opened.review, 'commented');
    const approved = next(commented.review, 'approved', { state: 'approved', resolvedAtMs: atMs });
    const cancelled = next(approved.review, 'cancelled', { state: 'cancelled' });
    for (const change of [opened, commented, approved, { ...cancelled, revokes: true } as const]) {
      await store.changeReviews([change]);
      process.stdout.write(`${change.review.id} ${change.review.version}\n`);
    }
  }
};
