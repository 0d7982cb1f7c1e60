/** Search, filters and order of the reviews that are decided or closed, all kept in the address. */
import type { Review } from '@writecheck/api';
import { isVoid, nameOf } from '../../components/review/review-words.tsx';
import { inOrder, type Ordered, pastOrderIn } from './order-reviews.ts';
import { searchFor } from './sort-reviews.ts';

export const OUTCOMES = {
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired',
  cancelled: 'Cancelled',
  void: 'Approval void',
  outdated: 'Rule changed',
} as const;

export const DAYS = { '1': 'today', '7': 'last 7 days', '30': 'last 30 days' } as const;

export interface PastNarrowing {
  readonly q: string;
  /** The name of somebody who gave a verdict. */
  readonly person: string;
  readonly outcome: string;
  readonly days: string;
  readonly order: Ordered;
}

export function pastNarrowingOf(query: URLSearchParams): PastNarrowing {
  const said = (name: string) => query.get(name) ?? '';
  return {
    q: said('q'),
    person: said('person'),
    outcome: said('outcome'),
    days: said('days'),
    order: pastOrderIn(query.get('order')),
  };
}

export function isPastNarrow({ order: _, ...narrowing }: PastNarrowing): boolean {
  return Object.values(narrowing).some((each) => each !== '');
}

export function decidersOf({ verdicts }: Review): readonly string[] {
  return verdicts.map(({ by }) => nameOf(by));
}

const DAY_MS = 86_400_000;

export function narrowedPast(
  reviews: readonly Review[],
  { q, person, outcome, days, order }: PastNarrowing,
  nowMs: number,
): readonly Review[] {
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0);
  const fromMs = days === '' ? Number.NEGATIVE_INFINITY : midnight - (Number(days) - 1) * DAY_MS;
  const isSought = searchFor(q, undefined);
  const found = reviews.filter(
    (review) =>
      Date.parse(review.resolvedAt ?? review.openedAt) >= fromMs &&
      (person === '' || decidersOf(review).includes(person)) &&
      (outcome === '' || hasOutcome(review, outcome)) &&
      isSought(review),
  );
  return inOrder(found, order);
}

/** An approval that no longer counts is not found among those that do. */
function hasOutcome(review: Review, outcome: string): boolean {
  if (outcome === 'void') return isVoid(review);
  if (outcome === 'outdated') return review.because === 'outdated';
  return review.state === outcome && !isVoid(review);
}
