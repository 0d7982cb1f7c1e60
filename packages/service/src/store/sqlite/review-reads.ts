/** Lookups of reviews in SQLite, on a connection that cannot write. */
import { REVIEW_DESK } from '@writecheck/contract';
import type { FoundReview, ReviewAtCheck, ReviewPage, ReviewQuery } from '../port/reviews.ts';
import type { CheckingKeyKind } from '../port.ts';
import { pageOf, pageText, readCursor } from '../review-page.ts';
import { type FoundRow, foundReview, type RowAtCheck, reviewAtCheck } from '../review-rows.ts';
import type { Db } from './open-database.ts';

const FOUND = `r.*, EXISTS (SELECT 1 FROM consumed_attestation c
  WHERE c.workspace = r.workspace AND c.source = '${REVIEW_DESK}' AND c.jti = r.id) AS is_used`;
const RUNNING = `(SELECT digest FROM policy p WHERE p.workspace = r.workspace ORDER BY revision DESC LIMIT 1)
  AS running_digest`;
const NEWEST = 50;

export function prepareReviewReads(db: Db) {
  const one = db.prepare(`SELECT ${FOUND} FROM review r WHERE workspace = ? AND id = ?`);
  const atCheck = db.prepare(`SELECT ${FOUND}, ${RUNNING} FROM review r WHERE workspace = ? AND id = ?`);
  const ofWrite = db.prepare(
    `SELECT ${FOUND} FROM review r WHERE workspace = ? AND intent_digest = ? AND key_kind = ?
     ORDER BY opened_ms DESC, id DESC LIMIT ${NEWEST}`,
  );
  const like = db.prepare(
    `SELECT ${FOUND} FROM review r WHERE workspace = ? AND likeness = ? AND coalesce(resolved_ms, opened_ms) >= ?
     ORDER BY state = 'rejected' DESC, coalesce(resolved_ms, opened_ms) DESC, id DESC LIMIT ${NEWEST}`,
  );
  const overdue = db.prepare(
    `SELECT ${FOUND} FROM review r WHERE state = 'open' AND expires_ms <= ? ORDER BY expires_ms, id LIMIT ?`,
  );
  const open = db.prepare(
    "SELECT count(*) AS count, min(opened_ms) AS oldestOpenedAtMs FROM review WHERE state = 'open'",
  );
  const all = (rows: unknown[]): readonly FoundReview[] => (rows as FoundRow[]).map(foundReview);
  return {
    findReviews: (workspace: string, ids: readonly string[]): readonly FoundReview[] =>
      all(ids.map((id) => one.get(workspace, id)).filter((row) => row !== undefined)),
    reviewsAtCheck: (workspace: string, ids: readonly string[]): readonly ReviewAtCheck[] =>
      ids
        .map((id) => atCheck.get(workspace, id) as RowAtCheck | undefined)
        .filter((row) => row !== undefined)
        .map(reviewAtCheck),
    reviewsOfWrite: (
      workspace: string,
      intentDigest: string,
      keyKind: CheckingKeyKind,
    ): readonly FoundReview[] => all(ofWrite.all(workspace, intentDigest, keyKind)),
    reviewsLike: (workspace: string, likeness: string, sinceMs: number): readonly FoundReview[] =>
      all(like.all(workspace, likeness, sinceMs)),
    overdueReviews: (nowMs: number, limit: number): readonly FoundReview[] => all(overdue.all(nowMs, limit)),
    openReviews: () => open.get() as { readonly count: number; readonly oldestOpenedAtMs: number | null },
  };
}

/** A filter that selects few of many takes a while, so this is for a thread that no check waits for. */
export function listReviews(db: Db, query: ReviewQuery): ReviewPage {
  const after = readCursor(query.cursor);
  if (after === null) return { kind: 'bad_cursor' };
  if (query.askedByAnyOf?.length === 0) return { kind: 'page', reviews: [], nextCursor: null };
  const values: { [name: string]: string | number } = {};
  const bind = (value: string | number): string => {
    const name = `p${Object.keys(values).length}`;
    values[name] = value;
    return `@${name}`;
  };
  const dialect = { schema: '', bind, storedTag: (tag: string) => tag, found: FOUND };
  const rows = db.prepare(pageText(query, after, dialect)).all(values) as FoundRow[];
  return pageOf(
    rows.map((row) => ({ place: row.place, id: row.id, review: foundReview(row) })),
    query.limit,
  );
}
