/** Reads reviews: which ones a caller sees, what time and policy did to them, and how they are shown. */
import { DAY_MS } from '@writecheck/contract';
import { StoreUnavailable } from '@writecheck/store/port';
import type { FoundPerson } from '@writecheck/store/port/people';
import type { FoundReview, ReviewQuery } from '@writecheck/store/port/reviews';
import type { Actor } from '../../exchange/actor.ts';
import { BAD_CURSOR, type Refusal, refuse } from '../../exchange/refusal.ts';
import { lineageOf, ownersOf } from '../keys/key-lineage.ts';
import { changeOf } from './commit-changes.ts';
import { earlierReviews } from './like-writes.ts';
import { communityOf } from './people-standing.ts';
import { type Review, reviewOf } from './review.ts';
import type { ReviewParts } from './review-parts.ts';
import { settle } from './settle-review.ts';
import { type ShownReview, showReview, type Viewer } from './show-review.ts';

export const NO_REVIEW: Refusal = refuse(
  'not_found',
  'there is no such review in this workspace; `GET /v1/reviews` lists them',
);

export async function viewerOf(store: ReviewParts['store'], actor: Actor): Promise<Viewer> {
  if (actor.kind !== 'checking_key') return { kind: 'owner' };
  const lineage = await lineageOf(store, actor.key);
  return {
    kind: 'checking_key',
    keyIds: new Set(lineage.map(({ id }) => id)),
    owners: ownersOf(lineage),
  };
}

/** Null if the review is of another workspace or hidden from this viewer, so that callers cannot tell the two apart. */
export async function findReview(
  { store }: Pick<ReviewParts, 'store'>,
  workspace: string,
  viewer: Viewer,
  id: string,
): Promise<Review | null> {
  const [found] = await store.findReviews(workspace, [id]);
  return found !== undefined && maySee(viewer, found) ? reviewOf(found) : null;
}

function maySee(viewer: Viewer, { askedBy }: FoundReview): boolean {
  return viewer.kind === 'owner' || askedBy.some((keyId) => viewer.keyIds.has(keyId));
}

/**
 * The reviews in their current state. A change that a read notices is also written, so that an outdated review
 * does not come back with a returning rule; if the write fails, a later read notices it.
 */
export async function settled(
  parts: ReviewParts,
  workspace: string,
  reviews: readonly Review[],
  nowMs: number,
): Promise<readonly Review[]> {
  return (await settleAndWrite(parts, workspace, reviews, nowMs)).reviews;
}

async function settleAndWrite(
  parts: ReviewParts,
  workspace: string,
  reviews: readonly Review[],
  nowMs: number,
): Promise<{ readonly reviews: readonly Review[]; readonly areWritten: boolean }> {
  const { controlOf } = await parts.snapshotOf(workspace);
  const outcomes = reviews.map((review) => settle(review, controlOf, nowMs));
  const changes = outcomes.filter((outcome) => outcome.kind === 'changed');
  let areWritten = false;
  if (changes.length > 0) {
    const outcome = await parts.store.changeReviews(changes.map(changeOf)).catch(unlessUnavailable);
    areWritten = outcome?.kind === 'changed';
    if (areWritten) changes.forEach(parts.changed);
  }
  return { reviews: outcomes.map(({ review }) => review), areWritten };
}

function unlessUnavailable(thrown: unknown): null {
  if (thrown instanceof StoreUnavailable) return null;
  throw thrown;
}

/** `reviews` are settled and visible to the viewer. */
export async function shown(
  parts: ReviewParts,
  workspace: string,
  viewer: Viewer,
  reviews: readonly Review[],
  nowMs: number,
): Promise<readonly ShownReview[]> {
  if (reviews.length === 0) return [];
  const { controlOf } = await parts.snapshotOf(workspace);
  const names = new Map((await parts.store.listKeys(workspace)).map(({ id, name }) => [id, name]));
  const { epochOf, nameOf } = await communityOf(parts.store, workspace, reviews);
  const people = await namedPeople(parts, workspace, viewer, reviews);
  const alike = viewer.kind === 'owner' ? await alikeOf(parts, workspace, reviews, nowMs) : null;
  return reviews.map((review) =>
    showReview(review, viewer, {
      controlOf,
      epochOf,
      nameOf: ({ kind, id }) => (kind === 'person' ? nameOf(id) : (names.get(id) ?? null)),
      earlier: earlierReviews(review, alike?.get(review.write.likeness) ?? []),
      people,
      url: parts.urlOf(review.id),
      nowMs,
    }),
  );
}

/** Empty unless a caller names somebody; a checking key never learns who exists. */
async function namedPeople(
  { store }: ReviewParts,
  workspace: string,
  viewer: Viewer,
  reviews: readonly Review[],
): Promise<readonly FoundPerson[]> {
  const names = reviews.some(({ askedBy }) => askedBy.some(({ onBehalfOf }) => onBehalfOf !== null));
  if (viewer.kind !== 'owner' || !names) return [];
  return (await store.listPeople(workspace)).filter(({ state }) => state !== 'disabled');
}

async function alikeOf(
  { store, snapshotOf }: ReviewParts,
  workspace: string,
  reviews: readonly Review[],
  nowMs: number,
): Promise<ReadonlyMap<string, readonly Review[]>> {
  const { controlOf } = await snapshotOf(workspace);
  const likenesses = [...new Set(reviews.map(({ write }) => write.likeness))];
  const found = await Promise.all(
    likenesses.map((likeness) => store.reviewsLike(workspace, likeness, nowMs - DAY_MS)),
  );
  return new Map(
    likenesses.map((likeness, i) => [
      likeness,
      found[i]!.map((each) => settle(reviewOf(each), controlOf, nowMs).review),
    ]),
  );
}

interface ReviewList {
  readonly kind: 'list';
  readonly reviews: readonly ShownReview[];
  readonly nextCursor: string | null;
}

/** How many pages are read for one response: empty ones are skipped, and those with changed reviews are read again. */
const PAGES_MAX = 10;

/** `isWanted` is called once the review is settled: a review that the store lists as open may have expired. */
export async function listReviews(
  parts: ReviewParts,
  viewer: Viewer,
  query: ReviewQuery,
  isWanted: (review: Review) => boolean,
  nowMs: number,
): Promise<ReviewList | Refusal> {
  const { workspace } = query;
  const own = viewer.kind === 'owner' ? {} : { askedByAnyOf: [...viewer.keyIds] };
  if (query.state === 'expired' || query.state === 'cancelled') {
    await settleOpen(parts, { ...query, ...own }, nowMs);
  }
  let { cursor } = query;
  for (let pages = 1; ; pages += 1) {
    const page = await parts.store.listReviews({
      ...query,
      ...own,
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (page.kind === 'bad_cursor') return BAD_CURSOR;
    const { nextCursor } = page;
    const { reviews, areWritten } = await settleAndWrite(parts, workspace, page.reviews.map(reviewOf), nowMs);
    // A review that has just closed belongs further down; left here, a later page would repeat it.
    if (areWritten && pages < PAGES_MAX) continue;
    const wanted = reviews.filter(isWanted);
    if (wanted.length > 0 || nextCursor === null || pages === PAGES_MAX) {
      return { kind: 'list', reviews: await shown(parts, workspace, viewer, wanted, nowMs), nextCursor };
    }
    cursor = nextCursor;
  }
}

/** A page is large: a workspace has at most 1,000 open reviews. */
const OPEN_PAGE = 200;

/** The store finds a review by its state only once a read or the sweep has noticed that time or policy closed it. */
async function settleOpen(
  parts: ReviewParts,
  { cursor, ...query }: ReviewQuery,
  nowMs: number,
): Promise<void> {
  // A later page continues the list that the first one has settled.
  if (cursor !== undefined) return;
  let after: { readonly cursor?: string } = {};
  for (;;) {
    const page = await parts.store.listReviews({ ...query, ...after, state: 'open', limit: OPEN_PAGE });
    if (page.kind === 'bad_cursor') return;
    await settled(parts, query.workspace, page.reviews.map(reviewOf), nowMs);
    if (page.nextCursor === null) return;
    after = { cursor: page.nextCursor };
  }
}
