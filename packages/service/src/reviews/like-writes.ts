/** What makes two writes similar enough that a reviewer should see the other one. */
import { hash } from 'node:crypto';
import { canonicalJson, isoTime, type ReviewState } from '@writecheck/contract';
import type { Review } from './review.ts';

interface Target {
  readonly system: string;
  readonly objectType?: string | null | undefined;
  readonly objectRef?: string | null | undefined;
  readonly field?: string | null | undefined;
  readonly operation?: string | null | undefined;
  readonly agentValue?: string | null | undefined;
}

/** The same system, object, field, operation and value, regardless of evidence, authority or metadata. */
export function likenessOf(intent: Target): string {
  const { system, objectType, objectRef, field, operation, agentValue } = intent;
  const target = [system, objectType, objectRef, field, operation, agentValue];
  return `sha256:${hash('sha256', canonicalJson(target.map((member) => member ?? null)))}`;
}

export interface Earlier {
  readonly id: string;
  readonly state: ReviewState;
  readonly at: string;
}

/** Rejected ones first: a write that somebody refused must not come back unnoticed. */
export function earlierOnes(review: Review, alike: readonly Review[]): readonly Earlier[] {
  const others = alike.filter(({ id }) => id !== review.id);
  const isRejected = ({ state }: Review) => state === 'rejected';
  return [...others.filter(isRejected), ...others.filter((other) => !isRejected(other))].map((other) => ({
    id: other.id,
    state: other.state,
    at: isoTime(other.resolvedAtMs ?? other.openedAtMs),
  }));
}
