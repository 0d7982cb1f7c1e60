/** Search, filters and order of the inbox, all kept in the address. */
import type { Review } from '@writecheck/api';
import { amountOf, moneyOf, requesterOf } from '../../components/decision/said-in-intent.ts';
import { titleOf } from '../../components/decision/write-title.tsx';
import { knownDeceptionOf, wasRejected } from '../../components/review/warnings.ts';
import { fits, hasWords, saidByIntent } from '../../components/search/fits.ts';
import { readTyped } from '../../components/search/typed.ts';
import { REVIEW_WORDS } from '../../components/search/vocabularies.ts';
import type { Person } from '../../state/session.ts';
import { agentNameOf, inboxOrderIn, inOrder, type Ordered } from './order-reviews.ts';
import { isMine, takenBy } from './taken.ts';

export const AMOUNTS_FROM = [1_000, 10_000, 100_000] as const;

export interface Narrowing {
  readonly q: string;
  readonly agent: string;
  readonly control: string;
  /** The least amount, as a number in text. */
  readonly from: string;
  /** Who works on it. */
  readonly taken: '' | 'me' | 'nobody';
  /** Whether only those with a warning are listed. */
  readonly warning: '' | 'yes';
  readonly order: Ordered;
}

export function narrowingOf(query: URLSearchParams): Narrowing {
  return {
    q: query.get('q') ?? '',
    agent: query.get('agent') ?? '',
    control: query.get('control') ?? '',
    from: query.get('from') ?? '',
    taken: takenIn(query.get('taken')),
    warning: query.get('warning') === 'yes' ? 'yes' : '',
    order: inboxOrderIn(query.get('order')),
  };
}

function takenIn(text: string | null): Narrowing['taken'] {
  return text === 'me' || text === 'nobody' ? text : '';
}

export function isNarrow({ order: _, ...narrowing }: Narrowing): boolean {
  return Object.values(narrowing).some((each) => each !== '');
}

export function narrowed(
  reviews: readonly Review[],
  narrowing: Narrowing,
  person: Person | undefined,
  frozen: Pick<ReadonlySet<string>, 'has'> = new Set(),
): readonly Review[] {
  const { q, agent, control, from, order, taken, warning } = narrowing;
  const conflicting = conflictingIn(reviews);
  const least = from === '' ? null : Number(from);
  const isSought = searchFor(q, person);
  const found = reviews.filter((review) => {
    if (agent !== '' && agentNameOf(review) !== agent) return false;
    if (control !== '' && !review.controls.some(({ controlId }) => controlId === control)) return false;
    if (least !== null && (moneyOf(review.intent)?.amount ?? Number.NEGATIVE_INFINITY) < least) return false;
    if (taken !== '') {
      const by = takenBy(review);
      if (taken === 'nobody' ? by !== null : by === null || !isMine(by, person)) return false;
    }
    if (warning !== '' && placeOf(review, conflicting) === UNSUSPICIOUS) return false;
    return isSought(review);
  });
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
export function searchFor(q: string, person: Person | undefined): (review: Review) => boolean {
  const { terms, words, fault } = readTyped(q, REVIEW_WORDS);
  if (fault !== null) return () => true;
  const whole = terms.filter(({ value }) => value !== '');
  return (review) =>
    fits(whole, (word) => valuesOf(word, review, person)) === true &&
    (words.length === 0 || hasWords(words, saidBy(review)));
}

function valuesOf(word: string, review: Review, person: Person | undefined): readonly string[] {
  const { intent, askedBy, controls } = review;
  if (word === 'agent') return askedBy.flatMap(({ keyId, keyName }) => [keyId, keyName ?? keyId]);
  if (word === 'control') return controls.map(({ controlId }) => controlId);
  if (word === 'taken') {
    const by = takenBy(review);
    return by === null ? ['nobody'] : isMine(by, person) ? ['me'] : [];
  }
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

/** Attempts to deceive, then what needs a thought, then the rest; each as the service lists them, by expiry. */
function placeOf(review: Review, conflicting: ReadonlySet<string>): number {
  if (knownDeceptionOf(review) != null) return DECEPTIVE;
  return review.confirms != null || wasRejected(review) || conflicting.has(review.id) ? 1 : UNSUSPICIOUS;
}

function saidBy(review: Review): string {
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
    ...controls.map(({ controlId }) => controlId),
  ]
    .filter((each) => typeof each === 'string')
    .join('\n')
    .toLowerCase();
}

/** The ids of reviews that would write another value to the same member than another one. */
export function conflictingIn(reviews: readonly Review[]): ReadonlySet<string> {
  const byMember = new Map<string, Review[]>();
  for (const review of reviews) {
    const { system, objectType, objectRef, field } = review.intent;
    if (typeof objectRef !== 'string' || typeof field !== 'string') continue;
    const member = JSON.stringify([system, objectType ?? null, objectRef, field]);
    byMember.set(member, [...(byMember.get(member) ?? []), review]);
  }
  const found = new Set<string>();
  for (const same of byMember.values())
    if (new Set(same.map(({ intent }) => intent.agentValue)).size > 1)
      for (const { id } of same) found.add(id);
  return found;
}

/** Such as "31–45 of 45"; without the total while it is unknown. */
export function placeInWords(page: number, size: number, count: number, isTotal: boolean): string {
  const last = Math.min(page * size, count);
  // A list that shrank shows its last page.
  const first = Math.min((page - 1) * size, Math.floor(Math.max(0, last - 1) / size) * size) + 1;
  return `${first}–${last}${isTotal ? ` of ${count}` : ''}`;
}
