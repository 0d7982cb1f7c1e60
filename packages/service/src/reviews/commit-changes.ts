/** Reads, decides and writes again until nothing came in between: how every change of a review becomes durable. */
import { storeUnavailable } from '../check-write/record-decisions.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { ChangeReviewsOutcome, OpenLimits, ReviewChange, Reviews } from '../store/port/reviews.ts';
import { type Changed, tooMany, type Unchanged } from './outcome.ts';
import { rowOf } from './review.ts';

/** Each one lost means that somebody else's change went through. */
const TRIES_MAX = 10;

export interface Attempt<Result> {
  readonly outcomes: readonly (Changed | Unchanged)[];
  readonly limits?: OpenLimits | undefined;
  /** A refusal too may come with changes: whoever votes on an overdue review closes it. */
  readonly result: Result;
}

type CommitParts = {
  readonly store: Pick<Reviews, 'changeReviews'>;
  /** Told of each review that changed, once that is durable. */
  readonly changed: (change: Changed) => void;
};

export async function untilCommitted<Result extends object>(
  { store, changed }: CommitParts,
  attempt: () => Promise<Attempt<Result> | Refusal>,
): Promise<Result | Refusal> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const tried = await attempt();
    if (isRefusal(tried)) return tried;
    const changes = tried.outcomes.filter((outcome) => outcome.kind === 'changed');
    if (changes.length === 0) return tried.result;
    const outcome = await store.changeReviews(changes.map(changeOf), tried.limits);
    if (outcome.kind === 'too_many') return tooMany(LIMITS[outcome.which]);
    if (outcome.kind === 'conflict') continue;
    changes.forEach(changed);
    return tried.result;
  }
  return CONTENDED;
}

const CONTENDED = storeUnavailable('the review changes faster than this could be recorded; try again');

const LIMITS: { readonly [which in Extract<ChangeReviewsOutcome, { kind: 'too_many' }>['which']]: string } = {
  open_of_key: 'this key has too many open reviews; wait until some are decided, or cancel them',
  opened_of_key: 'this key has opened too many reviews within an hour; wait',
  open_of_workspace: 'the workspace has too many open reviews; decide or cancel some first',
};

export function changeOf({ review, entries, revokes }: Changed): ReviewChange {
  return { review: rowOf(review), entries, ...(revokes && { revokes }) };
}
