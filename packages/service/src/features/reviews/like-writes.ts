/** Decides whether two writes are so similar that a reviewer should see the other one. */
import type { Review as ApiReview } from '@writecheck/api';
import { canonicalJson, isoTime } from '@writecheck/contract';
import { textDigest } from '@writecheck/store/sha256';
import type { Review } from './review.ts';

interface Target {
  readonly system: string;
  readonly objectType?: string | null | undefined;
  readonly objectRef?: string | null | undefined;
  readonly field?: string | null | undefined;
  readonly operation?: string | null | undefined;
  readonly agentValue?: string | null | undefined;
}

/** White space, and invisible characters: controls, direction marks, zero-width characters and fillers. */
const UNSEEN = /[\p{C}\p{Z}\p{DI}\s\u2800]/gu;

/** Folds texts that a person may confuse into one; upper case first, because `ß` also becomes `SS`. */
function folded(text: string): string {
  return text.normalize('NFKC').replaceAll(UNSEEN, '').toUpperCase().toLowerCase();
}

/**
 * The same system, object, field and value, however they are spelt, regardless of evidence, authority or metadata. The
 * operation counts only if nothing else says what is written: adding one must not hide that the write was rejected.
 */
export function likenessOf(intent: Target): string {
  const { system, objectType, objectRef, field, operation, agentValue } = intent;
  const written = [objectRef, field, agentValue].map((member) => folded(member ?? ''));
  const what = written.some((member) => member !== '') ? written : [folded(operation ?? '')];
  const target = [folded(system), folded(objectType ?? ''), ...what];
  return textDigest(canonicalJson(target));
}

export type Earlier = NonNullable<ApiReview['earlier']>[number];

/** Rejected ones first: a write that somebody refused must not come back unnoticed. */
export function earlierReviews(review: Review, alike: readonly Review[]): readonly Earlier[] {
  const others = alike.filter(({ id }) => id !== review.id);
  const isRejected = ({ state }: Review) => state === 'rejected';
  return [...others.filter(isRejected), ...others.filter((other) => !isRejected(other))].map((other) => ({
    id: other.id,
    state: other.state,
    at: isoTime(other.resolvedAtMs ?? other.openedAtMs),
  }));
}
