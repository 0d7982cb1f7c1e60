/**
 * One page of reviews: its cursor, and the query that reads it in order from the tags, the same for both databases.
 */
import type { FoundReview, ReviewPage, ReviewQuery } from '../port/reviews.ts';
import { list, type Part, part, separated, text } from './operation.ts';
import { CLOSED_FROM, tagsAskedFor } from './review-rows.ts';

interface Place {
  readonly place: number;
  readonly id: string;
}

const BEGINNING: Place = { place: -1, id: '' };
const CURSOR = /^(\d{1,16})\.(\w{1,64})$/;

export function readCursor(cursor: string | undefined): Place | null {
  if (cursor === undefined) return BEGINNING;
  const [, place, id] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  const read = { place: Number(place), id: id ?? '' };
  return Number.isSafeInteger(read.place) ? read : null;
}

/** `rows` holds one more than the limit if there is a next page. */
export function pageOf(
  rows: readonly { readonly place: number; readonly review: FoundReview }[],
  limit: number,
): ReviewPage {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return {
    kind: 'page',
    reviews: shown.map(({ review }) => review),
    nextCursor: isEnd ? null : Buffer.from(`${last.place}.${last.review.id}`).toString('base64url'),
  };
}

/**
 * Follows each tag of the first list along its index and merges the first few of each, so that a page takes as long
 * with a hundred thousand reviews as with a hundred. The other lists are looked up row by row.
 */
export function pagePart(query: ReviewQuery, after: Place, found: Part): Part {
  const { workspace, limit } = query;
  const [first, ...others] = tagsAskedFor(query);
  // Few reviews are open, and they are stored together, so the closed ones need no search.
  const within = text(query.state === 'open' ? `AND t.place < ${CLOSED_FROM}` : '');
  const conditions = others.map(
    (tags) => part`AND EXISTS (SELECT 1 FROM writecheck.review_tag o WHERE o.workspace = t.workspace
      AND o.tag IN (${list(tags.map((tag) => ({ compared: tag })))}) AND o.place = t.place AND o.id = t.id)`,
  );
  const branches = first!.map(
    (tag) => part`SELECT * FROM (SELECT t.place, t.id FROM writecheck.review_tag t
      WHERE t.workspace = ${workspace} AND t.tag = ${{ compared: tag }}
        AND (t.place, t.id) > (${after.place}, ${after.id}) ${within} ${separated(conditions, ' ')}
      ORDER BY t.place, t.id LIMIT ${limit + 1}) AS b`,
  );
  return part`SELECT ${found} FROM (${separated(branches, ' UNION ')}) AS p
    JOIN writecheck.review r ON r.workspace = ${workspace} AND r.id = p.id
    ORDER BY r.place, r.id LIMIT ${limit + 1}`;
}
