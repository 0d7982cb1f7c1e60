/** What happened around a write: decisions about the same object, its last allowed value, and other open reviews of it. */

import type { Review } from '@writecheck/api';
import { listOfObject } from '../../calls/reviews.ts';
import { joined, mapped } from '../../replies.ts';
import { useLoad } from '../../use-load.ts';
import { readAround } from './read-around.ts';

export function useSurroundings(review: Review) {
  // A verdict changes what is open and used; a poll that changes nothing reads nothing again.
  return useLoad(`around ${review.id} ${review.state} ${review.because}`, (signal) => around(review, signal));
}

async function around(review: Review, signal: AbortSignal) {
  const read = await joined([readAround(review, signal), listOfObject(review, signal)]);
  const { objectType = null } = review.intent;
  return mapped(read, ([decided, { reviews }]) => {
    // Of the object, conflicting or not.
    const alsoOpen = reviews.filter(
      ({ id, intent }) => id !== review.id && (intent.objectType ?? null) === objectType,
    );
    return { ...decided, alsoOpen, conflicting: alsoOpen.filter((other) => conflicts(other, review)) };
  });
}

/** Two writes of one member that cannot both stand. */
function conflicts({ intent: other }: Review, { intent }: Review): boolean {
  return (
    typeof intent.field === 'string' && other.field === intent.field && other.agentValue !== intent.agentValue
  );
}
