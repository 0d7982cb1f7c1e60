/** Search, filters and order of a list of reviews, all kept in the address. */
import type { Review } from '@writecheck/api';
import { DAY_MS } from '@writecheck/contract';
import { CLOSED } from '../../calls/reviews.ts';
import { amountOf, moneyOf, requesterOf } from '../../components/decision/said-in-intent.ts';
import { titleOf } from '../../components/decision/write-title.tsx';
import { controlInWords } from '../../components/member-labels.ts';
import { knownAround } from '../../components/review/read-around.ts';
import { isVoid, nameOf, STATES, VOID } from '../../components/review/review-words.tsx';
import { conflictingIn, type Rivals } from '../../components/review/rivals.ts';
import { isGrave, isJudged, warningsOf } from '../../components/review/warnings.ts';
import { fits, hasWords, saidByIntent } from '../../components/search/fits.ts';
import { readTyped } from '../../components/search/typed.ts';
import { REVIEW_WORDS } from '../../components/search/vocabularies.ts';
import { agentNameOf, inOrder, type Ordered, orderIn } from './order-reviews.ts';

interface Filter {
  readonly label: string;
  readonly options: (all: readonly Review[]) => Options;
  readonly fits: (review: Review, wanted: string, rivals: Rivals) => boolean;
}

type Options = readonly (readonly [value: string, shown: string])[];

const OUTCOMES: Options = [
  ...CLOSED.map((state) => [state, STATES[state].word] as const),
  ['void', VOID.word],
  ['outdated', 'Rule changed'],
];
const DAYS = { '1': 'today', '7': 'last 7 days', '30': 'last 30 days' } as const;

export const FILTERS = {
  warning: {
    label: 'Warnings',
    options: () => [['yes', 'with a warning']],
    fits: (review, _, conflicting) => placeOf(review, conflicting) !== UNSUSPICIOUS,
  },
  agent: {
    label: 'Agent',
    options: (all) => distinct(all.map(agentNameOf)),
    fits: (review, name) => agentNameOf(review) === name,
  },
  control: {
    label: 'Needs',
    options: (all) =>
      distinct(all.flatMap(({ controls }) => controls.map(({ controlId }) => controlId))).map(
        ([id]) => [id, controlInWords(id)] as const,
      ),
    fits: ({ controls }, id) => controls.some(({ controlId }) => controlId === id),
  },
  from: {
    label: 'Amount',
    options: () =>
      [1_000, 10_000, 100_000].map((from) => [String(from), `from ${from.toLocaleString('en')}`] as const),
    fits: ({ intent }, from) => (moneyOf(intent)?.amount ?? Number.NEGATIVE_INFINITY) >= Number(from),
  },
  outcome: { label: 'Outcome', options: () => OUTCOMES, fits: hasOutcome },
  person: {
    label: 'Decided by',
    options: (all) => distinct(all.flatMap(decidersOf)),
    fits: (review, name) => decidersOf(review).includes(name),
  },
  days: {
    label: 'Closed',
    options: () => Object.entries(DAYS),
    fits: ({ resolvedAt, openedAt }, days) =>
      Date.parse(resolvedAt ?? openedAt) >= new Date().setHours(0, 0, 0, 0) - (Number(days) - 1) * DAY_MS,
  },
} satisfies { readonly [name: string]: Filter };

export type FilterName = keyof typeof FILTERS;
const NAMES = Object.keys(FILTERS) as readonly FilterName[];

function distinct(names: readonly string[]): Options {
  return [...new Set(names)].sort().map((name) => [name, name] as const);
}

function decidersOf({ verdicts }: Review): readonly string[] {
  return verdicts.map(({ by }) => nameOf(by));
}

/** An approval that no longer counts is not found among those that do. */
function hasOutcome(review: Review, outcome: string): boolean {
  if (outcome === 'void') return isVoid(review);
  if (outcome === 'outdated') return review.because === 'outdated';
  return review.state === outcome && !isVoid(review);
}

/** A filter is empty if it narrows nothing. */
export type Narrowing = { readonly [name in FilterName | 'q']: string } & {
  /** The tab. */
  readonly show: string;
  readonly order: Ordered;
};

export function narrowingOf(query: URLSearchParams, show = ''): Narrowing {
  const said = Object.fromEntries(['q', ...NAMES].map((name) => [name, query.get(name) ?? '']));
  return { ...(said as Omit<Narrowing, 'show' | 'order'>), show, order: orderIn(query.get('order'), show) };
}

export function isNarrow({ q, ...filters }: Narrowing): boolean {
  return q !== '' || NAMES.some((name) => filters[name] !== '');
}

export function narrowed(
  reviews: readonly Review[],
  narrowing: Narrowing,
  frozen: Pick<ReadonlySet<string>, 'has'> = new Set(),
): readonly Review[] {
  const { q, order } = narrowing;
  const conflicting = conflictingIn(reviews);
  const isSought = searchFor(q);
  const set = NAMES.filter((name) => narrowing[name] !== '');
  const found = reviews.filter(
    (review) =>
      set.every((name) => FILTERS[name].fits(review, narrowing[name], conflicting)) && isSought(review),
  );
  if (order !== 'warnings') return inOrder(found, order);
  return (
    found
      .map((review) => ({ review, place: placeOf(review, conflicting) }))
      // An approval has no effect while it is frozen, so it can wait; a rejection of what deceives cannot.
      .map(({ review, place }) => ({
        review,
        place: place > DECEPTIVE && frozen.has(review.id) ? place + UNSUSPICIOUS : place,
      }))
      .sort((a, b) => a.place - b.place)
      .map(({ review }) => review)
  );
}

/** By the words and filters that are typed; what is half typed narrows nothing yet, and nor does what cannot be. */
function searchFor(q: string): (review: Review) => boolean {
  const { terms, words, fault } = readTyped(q, REVIEW_WORDS);
  if (fault !== null) return () => true;
  const whole = terms.filter(({ value }) => value !== '');
  return (review) =>
    fits(whole, (word) => valuesOf(word, review)) === true &&
    (words.length === 0 || hasWords(words, saidBy(review)));
}

function valuesOf(word: string, review: Review): readonly string[] {
  const { intent, askedBy, controls } = review;
  if (word === 'agent') return askedBy.flatMap(({ keyId, keyName }) => [keyId, keyName ?? keyId]);
  if (word === 'control') return controls.map(({ controlId }) => controlId);
  if (word === 'amount') return saidByIntent(word, intent);
  if (word === 'requester')
    return [...saidByIntent(word, intent), ...askedBy.flatMap(({ onBehalfOf }) => onBehalfOf ?? [])];
  const said = intent[MEMBERS[word] ?? word];
  return typeof said === 'string' ? [said] : [];
}

const MEMBERS: { readonly [word: string]: string } = {
  object: 'objectRef',
  workflow: 'workflowId',
  run: 'runId',
};

const DECEPTIVE = 0;
const UNSUSPICIOUS = 2;

/** Attempts to deceive, then what needs a tick, then the rest; each as the service lists them, by expiry. */
function placeOf(review: Review, conflicting: Rivals): number {
  // The first look at its texts takes too long for a list.
  if (!isJudged(review)) return UNSUSPICIOUS;
  const [worst] = warningsOf(review, knownAround(review, conflicting.get(review.id)));
  return worst === undefined ? UNSUSPICIOUS : isGrave(worst) ? DECEPTIVE : 1;
}

function saidBy(review: Review): readonly string[] {
  const { id, intent, askedBy, controls } = review;
  const { system, objectRef, field, operation, agentValue, runId } = intent;
  const asked = askedBy.flatMap(({ keyName, onBehalfOf, justification }) => [
    keyName,
    onBehalfOf,
    justification,
  ]);
  return [
    id,
    titleOf(intent),
    system,
    objectRef,
    field,
    operation,
    agentValue,
    runId,
    amountOf(intent),
    String(moneyOf(intent)?.amount ?? ''),
    requesterOf(intent),
    ...asked,
    ...controls.flatMap(({ controlId }) => [controlId, controlInWords(controlId)]),
  ].filter((each) => typeof each === 'string');
}

/** Such as "31–45 of 45"; without the total while it is unknown. */
export function placeInWords(page: number, size: number, count: number, isTotal: boolean): string {
  const last = Math.min(page * size, count);
  // A list that shrank shows its last page.
  const first = Math.min((page - 1) * size, Math.floor(Math.max(0, last - 1) / size) * size) + 1;
  return `${first}–${last}${isTotal ? ` of ${count}` : ''}`;
}
