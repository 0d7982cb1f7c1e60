/** The calls that the review pages make. */

import type { Assertion, Review } from '@writecheck/api';
import type { Answered, Queried } from '@writecheck/api/calls';
import { REVIEW_STATES, type ReviewState } from '@writecheck/contract';
import { call, type Reply, success } from '../api.ts';
import { joined, mapped, readPages } from '../replies.ts';

export type ReviewPage = Answered<'GET /v1/reviews'>;
type ReviewQuery = Queried<'GET /v1/reviews'>;
type One = { readonly review: Review };

export function listReviews(query: ReviewQuery, signal: AbortSignal) {
  return call('GET /v1/reviews', { query, signal });
}

const PAGE_MAX = 200;

/** Up to `max` reviews, over as many pages as that takes. */
export async function listAll(
  query: ReviewQuery,
  max: number,
  signal: AbortSignal,
): Promise<Reply<ReviewPage>> {
  const read = (cursor: string, left: number) =>
    listReviews({ ...query, limit: String(Math.min(PAGE_MAX, left)), cursor }, signal);
  const pages = await readPages(max, read, ({ reviews }) => reviews);
  return mapped(pages, ({ rows: reviews, nextCursor }) => ({ reviews, nextCursor }));
}

/** How many open reviews are read: the second is the most that a workspace can have. */
const OPEN_READ = [200, 1_000] as const;

/** Every open review that the user could decide and has not. */
export function listMine(signal: AbortSignal): Promise<Reply<ReviewPage>> {
  return listAll({ state: 'open', for: 'me' }, OPEN_READ[1], signal);
}

/** Open reviews that the user cannot decide, or has decided: at least `wanted`, if there are so many. */
export async function listOthers(wanted: number, signal: AbortSignal): Promise<Reply<ReviewPage>> {
  for (const max of OPEN_READ) {
    const read = await joined([
      listAll({ state: 'open' }, max, signal),
      // Both lists have one order, so these include all of the user's among the open ones above.
      listAll({ state: 'open', for: 'me' }, max, signal),
    ]);
    if (read.kind === 'failure') return read;
    const [open, mine] = read.value;
    const ids = new Set(mine.reviews.map(({ id }) => id));
    const reviews = open.reviews.filter(({ id }) => !ids.has(id));
    const { nextCursor } = open;
    if (reviews.length >= wanted || nextCursor === null || max === OPEN_READ.at(-1))
      return success({ reviews, nextCursor });
  }
  throw new Error('unreachable');
}

/** The open reviews of the same object; none for a write without one. */
export async function listOfObject({ intent }: Review, signal: AbortSignal): Promise<Reply<ReviewPage>> {
  const { system, objectRef } = intent;
  if (typeof objectRef !== 'string') return success({ reviews: [], nextCursor: null });
  return listAll({ system: String(system), objectRef, state: 'open' }, OPEN_READ[1], signal);
}

export const CLOSED = REVIEW_STATES.filter((state) => state !== 'open');

/** The newest closed reviews. */
export function listClosed(limit: number, signal: AbortSignal): Promise<Reply<readonly Review[]>> {
  return newestOf(CLOSED, limit, signal, () => true);
}

/** The newest reviews that have a verdict, open ones too; `counts` says which verdicts matter. */
export function listDecided(
  limit: number,
  signal: AbortSignal,
  counts: (verdict: Review['verdicts'][number]) => boolean = () => true,
): Promise<Reply<readonly Review[]>> {
  return newestOf(REVIEW_STATES, limit, signal, ({ verdicts }) => verdicts.some(counts));
}

/** The API filters by one state at a time, and lists open reviews before all others. */
async function newestOf(
  states: readonly ReviewState[],
  limit: number,
  signal: AbortSignal,
  isWanted: (review: Review) => boolean,
): Promise<Reply<readonly Review[]>> {
  const read = await joined(
    // Open ones come soonest to expire first, so the newest may be the last of them.
    states.map((state) => listAll({ state }, state === 'open' ? OPEN_READ.at(-1)! : limit, signal)),
  );
  const closedAt = ({ resolvedAt, openedAt }: Review) => Date.parse(resolvedAt ?? openedAt);
  return mapped(read, (lists) =>
    lists
      .flatMap(({ reviews }) => reviews.filter(isWanted))
      .sort((a, b) => closedAt(b) - closedAt(a))
      .slice(0, limit),
  );
}

export function readReview(id: string, signal: AbortSignal) {
  return call('GET /v1/reviews/{id}', { in: { id }, signal });
}

export function openReview(decisionId: string) {
  return call('POST /v1/reviews', { json: { decision_id: decisionId } });
}

/** `intentDigest` is the page's own, of the write as it was shown. */
export function giveVerdict(
  id: string,
  verdict: 'approve' | 'reject',
  intentDigest: string,
  comment: string,
  assertion?: Assertion,
): Promise<Reply<One>> {
  const said = { ...(comment === '' ? {} : { comment }), ...(assertion === undefined ? {} : { assertion }) };
  return call('POST /v1/reviews/{id}/verdicts', { in: { id }, json: { verdict, intentDigest, ...said } });
}

export function withdrawVerdict(id: string) {
  return call('DELETE /v1/reviews/{id}/verdicts/mine', { in: { id } });
}

export function cancelReview(id: string, reason: string) {
  return call('POST /v1/reviews/{id}/cancel', { in: { id }, json: reason === '' ? {} : { reason } });
}

export function commentOn(id: string, text: string) {
  return call('POST /v1/reviews/{id}/comments', { in: { id }, json: { text } });
}
