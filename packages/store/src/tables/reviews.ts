/** Reviews: rows with their documents, the tags that lists filter by, and the log entries of every change. */
import { REVIEW_DESK } from '@writecheck/contract';
import { reviewEntries } from '../commit/new-entries.ts';
import type { CheckingKeyKind } from '../port/keys.ts';
import type {
  ChangeReviewsOutcome,
  FoundReview,
  OpenLimits,
  PersonVersion,
  ReviewAtCheck,
  ReviewChange,
  ReviewPage,
  ReviewQuery,
  StoredReview,
} from '../port/reviews.ts';
import { charge } from './charge.ts';
import { revoke } from './evidence.ts';
import { IS_ACTIVE, lockWorkspaces } from './lock-workspace.ts';
import {
  type Append,
  append,
  assignments,
  insertion,
  list,
  part,
  type Read,
  separated,
  sortedBy,
  sql,
  text,
  Undone,
  type Write,
} from './operation.ts';
import { pageOf, pagePart, readCursor } from './review-page.ts';
import { approvalNames, type FoundRow, foundReview, reviewSql, rowOf, tagsOf } from './review-rows.ts';

export const TABLES = `
-- place sorts open reviews first, and lists filter by tags.
CREATE TABLE writecheck.review (
  workspace text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  state text NOT NULL,
  place bigint NOT NULL,
  intent_digest text NOT NULL,
  key_kind text NOT NULL,
  system escaped NOT NULL,
  object_ref escaped,
  likeness text NOT NULL,
  control_ids text NOT NULL,
  asked_by text NOT NULL,
  first_asker text NOT NULL,
  opened_ms bigint NOT NULL,
  expires_ms bigint NOT NULL,
  resolved_ms bigint,
  document escaped NOT NULL,
  PRIMARY KEY (workspace, id)
);
-- INVARIANT: one review of a write and kind of key is open at a time.
CREATE UNIQUE INDEX review_open_of_write ON writecheck.review (workspace, intent_digest, key_kind) WHERE state = 'open';
CREATE INDEX review_open_of_key ON writecheck.review (workspace, first_asker) WHERE state = 'open';
CREATE INDEX review_open_by_expiry ON writecheck.review (expires_ms, id, opened_ms) WHERE state = 'open';
CREATE INDEX review_by_write ON writecheck.review (workspace, intent_digest, key_kind, opened_ms, id);
CREATE INDEX review_by_likeness ON writecheck.review (workspace, likeness, coalesce(resolved_ms, opened_ms), id);
CREATE INDEX review_by_asker ON writecheck.review (workspace, first_asker, opened_ms);

CREATE TABLE writecheck.review_tag (
  workspace text COLLATE "C" NOT NULL,
  tag compared COLLATE "C" NOT NULL,
  place bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace, tag, place, id)
) WITHOUT ROWID;
CREATE INDEX review_tag_by_review ON writecheck.review_tag (workspace, id);
`;

const NEWEST = 50;

/** The columns to read of a review, with the table as `r`. */
const FOUND = text(`r.*, EXISTS (SELECT 1 FROM writecheck.consumed_attestation c
  WHERE c.workspace = r.workspace AND c.source = '${REVIEW_DESK}' AND c.jti = r.id) AS is_used`);
const RUNNING = text(`(SELECT digest FROM writecheck.policy p WHERE p.workspace = r.workspace
  ORDER BY revision DESC LIMIT 1) AS running_digest`);

function* reviewsWhere(condition: ReturnType<typeof part>): Read<readonly FoundReview[]> {
  const rows = yield* reviewSql<FoundRow>`SELECT ${FOUND} FROM writecheck.review r WHERE ${condition}`;
  return rows.map(foundReview);
}

function inOrder<Found extends FoundReview>(
  ids: readonly string[],
  found: readonly Found[],
): readonly Found[] {
  const byId = new Map(found.map((review) => [review.id, review]));
  return ids.map((id) => byId.get(id)).filter((review) => review !== undefined);
}

export function* findReviews(workspace: string, ids: readonly string[]): Read<readonly FoundReview[]> {
  return inOrder(ids, yield* reviewsWhere(part`workspace = ${workspace} AND id IN (${list(ids)})`));
}

/** One look-up for a check that carries approvals; each review is read together with the running policy. */
export function* reviewsAtCheck(workspace: string, ids: readonly string[]): Read<readonly ReviewAtCheck[]> {
  type AtCheck = FoundRow & { readonly running_digest: string | null };
  const rows = yield* reviewSql<AtCheck>`SELECT ${FOUND}, ${RUNNING} FROM writecheck.review r
    WHERE workspace = ${workspace} AND id IN (${list(ids)})`;
  return inOrder(
    ids,
    rows.map((row) => ({ ...foundReview(row), runningDigest: row.running_digest })),
  );
}

/** Reviews of one write and kind of key, newest first, at most 50. */
export function* reviewsOfWrite(
  workspace: string,
  intentDigest: string,
  keyKind: CheckingKeyKind,
): Read<readonly FoundReview[]> {
  return yield* reviewsWhere(part`workspace = ${workspace} AND intent_digest = ${intentDigest}
    AND key_kind = ${keyKind} ORDER BY opened_ms DESC, id DESC LIMIT ${NEWEST}`);
}

/** Reviews of similar writes opened or resolved since then, rejected ones first, then newest first, at most 50. */
export function* reviewsLike(
  workspace: string,
  likeness: string,
  sinceMs: number,
): Read<readonly FoundReview[]> {
  return yield* reviewsWhere(part`workspace = ${workspace} AND likeness = ${likeness}
      AND coalesce(resolved_ms, opened_ms) >= ${sinceMs}
    ORDER BY state = 'rejected' DESC, coalesce(resolved_ms, opened_ms) DESC, id DESC LIMIT ${NEWEST}`);
}

/** Open reviews of every workspace whose time is over, oldest first, for the sweep. */
export function* overdueReviews(nowMs: number, limit: number): Read<readonly FoundReview[]> {
  return yield* reviewsWhere(
    part`state = 'open' AND expires_ms <= ${nowMs} AND ${IS_ACTIVE} ORDER BY expires_ms, id LIMIT ${limit}`,
  );
}

/** How many reviews are open over all workspaces, and when the oldest of them was opened: for metrics. */
export function* openReviews(): Read<{ readonly count: number; readonly oldestOpenedAtMs: number | null }> {
  const [open] = yield* sql<{ readonly count: number; readonly oldestOpenedAtMs: number | null }>`
    SELECT count(*) AS count, min(opened_ms) AS "oldestOpenedAtMs" FROM writecheck.review WHERE state = 'open'`;
  return open!;
}

/** A filter that selects few of many takes a while, so SQLite runs it on a thread that no check waits for. */
export function* listReviews(query: ReviewQuery): Read<ReviewPage> {
  const after = readCursor(query.cursor);
  if (after === null) return { kind: 'bad_cursor' };
  if (query.askedByAnyOf?.length === 0) return { kind: 'page', reviews: [], nextCursor: null };
  const rows = yield* reviewSql<FoundRow>`${pagePart(query, after, FOUND)}`;
  return pageOf(
    rows.map((row) => ({ place: row.place, review: foundReview(row) })),
    query.limit,
  );
}

/**
 * Makes all of these changes with their log entries in one transaction, or none. INVARIANT: one review of a
 * write and kind of key is open at a time, even in a race (a unique index enforces it). `people` are those
 * on whose standing the changes depend: if one of them now has another version, it is a conflict.
 */
export function* changeReviews(
  changes: readonly ReviewChange[],
  limits?: OpenLimits,
  people: readonly PersonVersion[] = [],
): Append<ChangeReviewsOutcome> {
  if (changes.length === 0) return { kind: 'changed' };
  const sorted = sortedBy(changes, ({ review }) => `${review.workspace} ${review.id}`);
  const fresh = sorted.filter(({ review }) => review.version === 1);
  // Other changes of reviews and people wait here, so that the counts and comparisons below stay valid.
  yield* lockWorkspaces(sorted.map(({ review }) => review.workspace));
  yield* requireUnchanged(people);
  // A review is closed once, so that is never refused. INVARIANT: all of these reviews are of one workspace.
  const mayRefuse = sorted.some(({ review }) => review.state === 'open');
  yield* charge(sorted[0]!.review.workspace, Date.parse(sorted[0]!.entries.at(-1)!.timestamp), { mayRefuse });
  // Closed reviews come first, to make room for their replacements.
  for (const { review } of sorted) if (review.version > 1) yield* write(review);
  for (const { review } of fresh) {
    yield* write(review);
    if (limits !== undefined) yield* requireRoom(review, limits);
  }
  for (const { review, entries, revokes } of sorted) {
    if (revokes !== true) continue;
    const atMs = Date.parse(entries.at(-1)!.timestamp);
    for (const item of approvalNames(review)) yield* revoke(review.workspace, item, atMs);
  }
  yield* append((log) => reviewEntries(log, changes));
  return { kind: 'changed' };
}

function* requireUnchanged(people: readonly PersonVersion[]): Read<void> {
  for (const { id, version } of people) {
    const same = yield* sql`SELECT 1 FROM writecheck.person WHERE id = ${id} AND version = ${version}`;
    if (same.length !== 1) throw new Undone({ kind: 'conflict' });
  }
}

function* write(review: StoredReview): Write<void> {
  const { workspace, id, version } = review;
  const stored = rowOf(review);
  const written =
    version === 1
      ? yield* sql`INSERT INTO writecheck.review ${insertion(stored)} ON CONFLICT DO NOTHING RETURNING 1`
      : yield* sql`UPDATE writecheck.review SET ${assignments(stored)}
          WHERE workspace = ${workspace} AND id = ${id} AND version = ${version - 1} RETURNING 1`;
  // INVARIANT: a row of another version, or an open review of this write, leaves nothing changed.
  if (written.length !== 1) throw new Undone({ kind: 'conflict' });
  if (version > 1)
    yield* sql`DELETE FROM writecheck.review_tag WHERE workspace = ${workspace} AND id = ${id}`;
  const tags = tagsOf(review).map(
    (tag) => part`(${workspace}, ${{ compared: tag }}, ${stored.place}, ${id})`,
  );
  yield* sql`INSERT INTO writecheck.review_tag (workspace, tag, place, id) VALUES ${separated(tags)}`;
}

/** Checked after the review is inserted: it counts itself. */
function* requireRoom({ workspace, askedBy }: StoredReview, limits: OpenLimits): Read<void> {
  const ofKey = part`FROM writecheck.review WHERE workspace = ${workspace} AND first_asker = ${askedBy[0] ?? ''}`;
  const [counted] = yield* sql<{ readonly [count: string]: number }>`SELECT
    (SELECT count(*) ${ofKey} AND state = 'open') AS open_of_key,
    (SELECT count(*) ${ofKey} AND opened_ms > ${limits.sinceMs}) AS opened_of_key,
    (SELECT count(*) FROM writecheck.review WHERE workspace = ${workspace} AND state = 'open') AS open_of_workspace`;
  const maxima = [
    ['open_of_key', limits.openOfKeyMax],
    ['opened_of_key', limits.openedOfKeyMax],
    ['open_of_workspace', limits.openOfWorkspaceMax],
  ] as const;
  for (const [which, max] of maxima)
    if (counted![which]! > max) throw new Undone({ kind: 'too_many', which });
}
