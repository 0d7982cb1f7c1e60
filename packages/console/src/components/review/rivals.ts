/** Reviews that contradict each other: writes of different values to one member of one object. */
import type { Review } from '@writecheck/api';

/** By id of a review: those that would write another value to the same member. */
export type Rivals = ReadonlyMap<string, readonly Review[]>;

export function conflictingIn(reviews: readonly Review[]): Rivals {
  const byMember = new Map<string, Review[]>();
  for (const review of reviews) {
    const { system, objectType, objectRef, field } = review.intent;
    if (typeof objectRef !== 'string' || typeof field !== 'string') continue;
    const member = JSON.stringify([system, objectType ?? null, objectRef, field]);
    byMember.set(member, [...(byMember.get(member) ?? []), review]);
  }
  const found = new Map<string, readonly Review[]>();
  for (const same of byMember.values())
    for (const { id, intent } of same) {
      const others = same.filter((other) => other.intent.agentValue !== intent.agentValue);
      if (others.length > 0) found.set(id, others);
    }
  return found;
}
