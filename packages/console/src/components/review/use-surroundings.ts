/** What happened around a write: decisions about the same object, its last allowed value, and other open reviews of it. */
import type { Review } from '@writecheck/api';
import { type Reply, success } from '../../api.ts';
import { listOfObject } from '../../calls/reviews.ts';
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
  const [decided, open] = await Promise.all([readAround(review, signal), listOfObject(review, signal)]);
  if (decided.kind === 'failure') return decided;
  if (open.kind === 'failure') return open;
  const { objectType = null } = review.intent;
  const alsoOpen = open.value.reviews.filter(
    ({ id, intent }) => id !== review.id && (intent.objectType ?? null) === objectType,
  );
  const conflicting = alsoOpen.filter((other) => conflicts(other, review));
  return success({ ...decided.value, alsoOpen, conflicting });
}

/** Two writes of one member that cannot both stand. */
function conflicts({ intent: other }: Review, { intent }: Review): boolean {
  return (
    typeof intent.field === 'string' && other.field === intent.field && other.agentValue !== intent.agentValue
  );
}
