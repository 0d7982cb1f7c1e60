/** What happened around a write: decisions about the same object, its last allowed value, and other open reviews of it. */

import type { Review } from '@writecheck/api';
import type { Reply } from '../../api.ts';
import { listOfObject } from '../../calls/reviews.ts';
import { joined, mapped } from '../../replies.ts';
import { type Load, useLoad } from '../../use-load.ts';
import { type AroundDecisions, readAround } from './read-around.ts';

interface Surroundings extends AroundDecisions {
  /** Other open reviews of the object, conflicting or not. */
  readonly alsoOpen: readonly Review[];
}

export function useSurroundings(review: Review): Load<Surroundings> {
  // A verdict changes what is open and used; a poll that changes nothing reads nothing again.
  return useLoad(`around ${review.id} ${review.state} ${review.because}`, (signal) => around(review, signal));
}

async function around(review: Review, signal: AbortSignal): Promise<Reply<Surroundings>> {
  const read = await joined([readAround(review, signal), listOfObject(review, signal)]);
  const { objectType = null } = review.intent;
  return mapped(read, ([decided, { reviews }]) => {
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
