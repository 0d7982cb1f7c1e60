/** Gives a review that was opened by a link its place in the inbox, in the order that it has by default. */

import type { Review } from '@writecheck/api';
import { useEffect } from 'preact/hooks';
import { success } from '../../api.ts';
import { listMine } from '../../calls/reviews.ts';
import { noteInboxOrder, useInboxPlace } from '../../state/inbox-order.ts';
import { useEvery, useLoad } from '../../use-load.ts';
import { narrowed, narrowingOf } from './sort-reviews.ts';
import { useScanned } from './use-scanned.ts';

const AGAIN_MS = 2_000;
const NOTHING = success({ reviews: [], nextCursor: null });

export function useQueuePlace({ id, state }: Review): void {
  const isPlaced = useInboxPlace(id) !== null || state !== 'open';
  const { value, failure, isLoading, reload } = useLoad(
    isPlaced ? 'placed' : `queue of ${id}`,
    async (signal) => (isPlaced ? NOTHING : listMine(signal)),
  );
  // Nobody sees that it failed, so nobody would try again.
  useEvery(AGAIN_MS, failure !== null && !isLoading, reload);
  const reviews = value?.reviews ?? null;
  const rounds = useScanned(reviews);
  useEffect(() => {
    if (reviews === null || rounds === 0 || isPlaced) return;
    const ids = narrowed(reviews, narrowingOf(new URLSearchParams())).map((review) => review.id);
    if (ids.includes(id)) noteInboxOrder(ids);
  }, [reviews, rounds]);
}
