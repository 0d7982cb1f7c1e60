/**
 * Makes every change to a review durable: reads, decides and writes, and starts over if another change came first.
 */
import type { Store } from '@writecheck/store/port';
import type {
  ChangeReviewsOutcome,
  OpenLimits,
  PersonVersion,
  ReviewChange,
} from '@writecheck/store/port/reviews';
import { isRefusal, type Refusal, storeUnavailable } from '../../exchange/refusal.ts';
import { type Changed, tooMany, type Unchanged } from './act-result.ts';
import { rowOf } from './review.ts';

/**
 * Each lost attempt means that another change succeeded; this is more than the number of callers that may ask for one
 * review at the same time.
 */
const TRIES_MAX = 30;

interface Attempt<Result> {
  readonly outcomes: readonly (Changed | Unchanged)[];
  readonly limits?: OpenLimits | undefined;
  /** The people on whose standing the change depends, if any. */
  readonly people?: readonly PersonVersion[];
  /** A refusal may come with changes too: a vote on an overdue review closes it. */
  readonly result: Result;
}

type CommitParts = {
  readonly store: Pick<Store, 'changeReviews'>;
  /** Called for each changed review, once the change is durable. */
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
    const outcome = await store.changeReviews(changes.map(changeOf), tried.limits, tried.people);
    if (outcome.kind === 'too_many') return tooMany(LIMITS[outcome.which]);
    if (outcome.kind === 'conflict') continue;
    changes.forEach(changed);
    return tried.result;
  }
  return CONTENDED;
}

const CONTENDED = storeUnavailable('others keep changing this review at the same time; try again');

const LIMITS: { readonly [which in Extract<ChangeReviewsOutcome, { kind: 'too_many' }>['which']]: string } = {
  open_of_key: 'this key has too many open reviews; wait until some are decided, or cancel them',
  opened_of_key: 'this key has opened too many reviews within an hour; wait',
  open_of_workspace: 'the workspace has too many open reviews; decide or cancel some first',
};

export function changeOf({ review, entries, revokes }: Changed): ReviewChange {
  return { review: rowOf(review), entries, ...(revokes && { revokes }) };
}
