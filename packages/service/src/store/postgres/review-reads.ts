/** Lookups of reviews in PostgreSQL, over the pool. */
import { REVIEW_DESK } from '@writecheck/contract';
import type { FoundReview, ReviewAtCheck, ReviewPage, ReviewQuery } from '../port/reviews.ts';
import type { CheckingKeyKind } from '../port.ts';
import { pageOf, pageText, readCursor } from '../review-page.ts';
import { type FoundRow, foundReview, type RowAtCheck, reviewAtCheck } from '../review-rows.ts';
import type { Query } from './connection.ts';
import { originalText, storableId } from './storable-text.ts';

const FOUND = `r.*, EXISTS (SELECT 1 FROM writecheck.consumed_attestation c
  WHERE c.workspace = r.workspace AND c.source = '${REVIEW_DESK}' AND c.jti = r.id) AS is_used`;
const FROM = `SELECT ${FOUND} FROM writecheck.review r WHERE`;
const RUNNING = `(SELECT digest FROM writecheck.policy p WHERE p.workspace = r.workspace
  ORDER BY revision DESC LIMIT 1) AS running_digest`;
const NEWEST = 50;

/** The reverse is in `review-writes.ts`. */
function originalRow<Row extends FoundRow>(row: Row): Row {
  return {
    ...row,
    system: originalText(row.system),
    object_ref: row.object_ref === null ? null : originalText(row.object_ref),
    document: originalText(row.document),
  };
}

function originalReview(row: FoundRow): FoundReview {
  return foundReview(originalRow(row));
}

function inOrder<Found extends FoundReview>(
  ids: readonly string[],
  found: readonly Found[],
): readonly Found[] {
  const byId = new Map(found.map((review) => [review.id, review]));
  return ids.map((id) => byId.get(id)).filter((review) => review !== undefined);
}

export function storableTag(tag: string): string {
  return storableId({ jti: tag });
}

export function prepareReviewReads(query: Query) {
  const all = async (text: string, values: readonly unknown[]): Promise<readonly FoundReview[]> =>
    (await query<FoundRow>(text, values)).map(originalReview);
  return {
    async findReviews(workspace: string, ids: readonly string[]): Promise<readonly FoundReview[]> {
      return inOrder(ids, await all(`${FROM} workspace = $1 AND id = ANY ($2)`, [workspace, ids]));
    },
    async reviewsAtCheck(workspace: string, ids: readonly string[]): Promise<readonly ReviewAtCheck[]> {
      const rows = await query<RowAtCheck>(
        `SELECT ${FOUND}, ${RUNNING} FROM writecheck.review r WHERE workspace = $1 AND id = ANY ($2)`,
        [workspace, ids],
      );
      return inOrder(ids, rows.map(originalRow).map(reviewAtCheck));
    },
    reviewsOfWrite: (workspace: string, intentDigest: string, keyKind: CheckingKeyKind) =>
      all(
        `${FROM} workspace = $1 AND intent_digest = $2 AND key_kind = $3
         ORDER BY opened_ms DESC, id DESC LIMIT ${NEWEST}`,
        [workspace, intentDigest, keyKind],
      ),
    reviewsLike: (workspace: string, likeness: string, sinceMs: number) =>
      all(
        `${FROM} workspace = $1 AND likeness = $2 AND coalesce(resolved_ms, opened_ms) >= $3
         ORDER BY state = 'rejected' DESC, coalesce(resolved_ms, opened_ms) DESC, id DESC LIMIT ${NEWEST}`,
        [workspace, likeness, sinceMs],
      ),
    overdueReviews: (nowMs: number, limit: number) =>
      all(`${FROM} state = 'open' AND expires_ms <= $1 ORDER BY expires_ms, id LIMIT $2`, [nowMs, limit]),
    async openReviews() {
      const [open] = await query<{ readonly count: number; readonly oldestOpenedAtMs: number | null }>(
        `SELECT count(*) AS count, min(opened_ms) AS "oldestOpenedAtMs" FROM writecheck.review WHERE state = 'open'`,
      );
      return open!;
    },
    async listReviews(asked: ReviewQuery): Promise<ReviewPage> {
      const after = readCursor(asked.cursor);
      if (after === null) return { kind: 'bad_cursor' };
      if (asked.askedByAnyOf?.length === 0) return { kind: 'page', reviews: [], nextCursor: null };
      const values: unknown[] = [];
      const bind = (value: string | number): string => `$${values.push(value)}`;
      const dialect = { schema: 'writecheck.', bind, storedTag: storableTag, found: FOUND };
      const rows = await query<FoundRow>(pageText(asked, after, dialect), values);
      return pageOf(
        rows.map((row) => ({ place: row.place, id: row.id, review: originalReview(row) })),
        asked.limit,
      );
    },
  };
}
