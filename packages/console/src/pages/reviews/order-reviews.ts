/** The orders of a list of reviews: by the head of a column in both directions, or what is dangerous first. */
import type { Review } from '@writecheck/api';
import type { Sorting } from '../../components/data-table.tsx';
import { moneyOf } from '../../components/decision/said-in-intent.ts';
import { controlInWords } from '../../components/member-labels.ts';
import { badgeOf, nameOf } from '../../components/review/review-words.tsx';

/** By what each column sorts; numbers from the largest down, texts from A. What has no key comes last either way. */
const KEYS = {
  object: ({ intent: { objectType, objectRef } }) => `${objectType ?? ''} ${objectRef ?? ''}`,
  amount: ({ intent }) => moneyOf(intent)?.amount ?? null,
  agent: agentNameOf,
  control: ({ controls: [first] }) => (first === undefined ? null : controlInWords(first.controlId)),
  decider: ({ verdicts }) => {
    const last = verdicts.at(-1);
    return last === undefined ? null : nameOf(last.by);
  },
  state: (review) => badgeOf(review).word,
  newest: ({ openedAt }) => Date.parse(openedAt),
  closed: ({ resolvedAt }) => (resolvedAt === null ? null : Date.parse(resolvedAt)),
} satisfies { readonly [by: string]: (review: Review) => number | string | null };

type Keyed = keyof typeof KEYS;

/** `warnings` and `expiry` are orders of the inbox that no key tells. A minus turns an order around. */
type Order = Keyed | 'warnings' | 'expiry';
export type Ordered = Order | `-${Order}`;

/** The orders that the inbox offers, in words. */
export const INBOX_ORDERS: { readonly [ordered in Ordered]?: string } = {
  warnings: 'warnings first',
  expiry: 'expires soonest',
  '-expiry': 'expires last',
  amount: 'largest amount',
  '-amount': 'smallest amount',
  agent: 'agent, A to Z',
  '-agent': 'agent, Z to A',
  control: 'what it needs, A to Z',
  '-control': 'what it needs, Z to A',
  object: 'object, A to Z',
  '-object': 'object, Z to A',
  newest: 'newest',
};

const PAST_ORDERS: readonly Order[] = ['closed', 'object', 'amount', 'agent', 'decider', 'state'];

/** The default of a tab: what is dangerous must not wait until it is about to expire. */
export function orderIn(text: string | null, show: string): Ordered {
  const isPast = show !== '';
  const isKnown =
    text !== null &&
    (isPast ? PAST_ORDERS.includes(text.replace(/^-/, '') as Order) : Object.hasOwn(INBOX_ORDERS, text));
  return isKnown ? (text as Ordered) : isPast ? 'closed' : 'warnings';
}

export function sortingOf(ordered: Ordered): Sorting {
  const isReversed = ordered.startsWith('-');
  return { by: isReversed ? ordered.slice(1) : ordered, isReversed };
}

export function orderedOf({ by, isReversed }: Sorting): Ordered {
  return `${isReversed ? '-' : ''}${by}` as Ordered;
}

// A comparison that builds its own takes a hundred times as long.
const TEXTS = new Intl.Collator('en', { numeric: true });

/** Leaves an order without a key to the list itself. */
export function inOrder(reviews: readonly Review[], ordered: Ordered): readonly Review[] {
  const { by, isReversed } = sortingOf(ordered);
  if (!Object.hasOwn(KEYS, by)) return isReversed ? reviews.toReversed() : reviews;
  const keyOf: (review: Review) => number | string | null = KEYS[by as Keyed];
  const direction = isReversed ? -1 : 1;
  return reviews
    .map((review) => ({ review, key: keyOf(review) }))
    .sort((a, b) => {
      if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
      return direction * compare(a.key, b.key);
    })
    .map(({ review }) => review);
}

function compare(a: number | string, b: number | string): number {
  return typeof a === 'number' && typeof b === 'number' ? b - a : TEXTS.compare(String(a), String(b));
}

export function agentNameOf({ askedBy: [asker] }: Review): string {
  return asker?.keyName ?? asker?.keyId ?? '';
}
