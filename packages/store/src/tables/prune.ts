/**
 * Empties entries of the log and removes copies of them in tables, a few rows at a time, so that no commit
 * waits long.
 */
import { firstIdAt } from '../log/decision-time.ts';
import type { StoredSegment } from '../log/segment.ts';
import type { Prunable } from '../port/erasures.ts';
import { followedUntilMs, pruneSegment } from '../prune/prune-segment.ts';
import { type PrunedDraws, prunedTogether } from '../prune/pruned-draws.ts';
import type { ReviewsAtPrune } from '../prune/reviews-at-prune.ts';
import { insertion, part, sortedBy, sql, type Write } from './operation.ts';

export const TABLES = `
-- What of a day is gone: an impact run still counts the decisions.
CREATE TABLE writecheck.pruned_day (
  workspace text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  decisions bigint NOT NULL,
  -- Of all entries that were emptied, before compression.
  bytes bigint NOT NULL,
  PRIMARY KEY (workspace, day)
) WITHOUT ROWID;
`;

/** A commit of the service may wait for one step: milliseconds. */
const SEGMENTS_AT_ONCE = 8;
const REVIEWS_AT_ONCE = 100;

export interface PruneStep {
  readonly emptied: number;
  /** How many entries it examined. */
  readonly seen: number;
  /** Where to continue; null at the end. */
  readonly next: number | null;
}

export function* pruneStep(found: Prunable, reviews: ReviewsAtPrune, from: number): Write<PruneStep> {
  const { beforeMs } = bounds(found);
  const untilMs = beforeMs === undefined ? Number.MAX_SAFE_INTEGER : followedUntilMs(beforeMs);
  const rows = yield* sql<StoredSegment>`SELECT position, count, body FROM writecheck.segment
    WHERE position >= ${from} AND oldest_ms < ${untilMs}
    ORDER BY position LIMIT ${SEGMENTS_AT_ONCE} FOR UPDATE`;
  let emptied = 0;
  const draws: PrunedDraws[] = [];
  for (const segment of rows) {
    const left = pruneSegment(segment, found, reviews);
    if (left === null) continue;
    emptied += left.emptied;
    draws.push(...left.draws);
    yield* sql`UPDATE writecheck.segment SET body = ${left.body} WHERE position = ${segment.position}`;
    // INVARIANT: in the same transaction, so that a run sees the decisions or their number.
    for (const day of left.days)
      yield* sql`INSERT INTO writecheck.pruned_day AS p ${insertion(day)}
        ON CONFLICT (workspace, day) DO UPDATE SET decisions = p.decisions + excluded.decisions,
          bytes = p.bytes + excluded.bytes`;
  }
  // INVARIANT: in order of place, as a commit draws, so that no two wait in a circle.
  for (const drawn of sortedBy(draws, ({ place }) => place))
    yield* found.isOfDeleted === true ? dropDraws(drawn) : keepDraws(drawn);
  const seen = rows.reduce((sum, { count }) => sum + count, 0);
  const next = rows.length < SEGMENTS_AT_ONCE ? null : rows.at(-1)!.position + 1;
  return { emptied, seen, next };
}

function* dropDraws({ place }: PrunedDraws): Write<void> {
  yield* sql`DELETE FROM writecheck.limit_draws WHERE place = ${Buffer.from(place, 'hex')}`;
}

function* keepDraws(drawn: PrunedDraws): Write<void> {
  const place = Buffer.from(drawn.place, 'hex');
  const [row] = yield* sql<{ readonly pruned: string }>`SELECT pruned FROM writecheck.limit_draws
    WHERE place = ${place} FOR UPDATE`;
  const { texts, untilMs: until_ms } = drawn;
  const kept = { place, texts, draws: '', until_ms, pruned: prunedTogether(row?.pruned, drawn) };
  yield* sql`INSERT INTO writecheck.limit_draws AS d ${insertion(kept)}
    ON CONFLICT (place) DO UPDATE SET pruned = excluded.pruned,
      until_ms = CASE WHEN d.until_ms < excluded.until_ms THEN excluded.until_ms ELSE d.until_ms END`;
}

/** Records named by their id are erased at any age. */
function bounds({ workspace, beforeMs, only }: Prunable) {
  const untilMs = only === null ? beforeMs : undefined;
  const isOf = workspace === undefined ? part`` : part`AND workspace = ${workspace}`;
  return { isOf, beforeMs: untilMs };
}

/** Removes their texts; the results stay, so that a redeemed allow does not seem to have none. */
export function* forgetOutcomes(found: Prunable): Write<void> {
  const { isOf, beforeMs } = bounds(found);
  const before = beforeMs === undefined ? part`` : part`AND decision_id < ${firstIdAt(beforeMs)}`;
  const named = found.only === null ? part`` : part`AND decision_id = ANY (${[...found.only.decisions]})`;
  yield* sql`UPDATE writecheck.outcome SET note = NULL, ref = NULL
    WHERE (note IS NOT NULL OR ref IS NOT NULL) ${isOf} ${before} ${named}`;
}

/** The rows repeat the intent. Drops a few at a time; returns how many. */
export function* dropReviews(found: Prunable, { kept }: ReviewsAtPrune): Write<number> {
  const { isOf, beforeMs } = bounds(found);
  const before = beforeMs === undefined ? part`` : part`AND resolved_ms < ${beforeMs}`;
  const named = found.only === null ? part`` : part`AND id = ANY (${[...found.only.reviews]})`;
  const rows = yield* sql<{ readonly workspace: string; readonly id: string }>`SELECT workspace, id
    FROM writecheck.review WHERE state <> 'open' ${isOf} ${before} ${named} AND id <> ALL (${[...kept]})
    LIMIT ${REVIEWS_AT_ONCE}`;
  for (const [workspace, these] of Map.groupBy(rows, (row) => row.workspace)) {
    const ids = these.map(({ id }) => id);
    yield* sql`DELETE FROM writecheck.review WHERE workspace = ${workspace} AND id = ANY (${ids})`;
    yield* sql`DELETE FROM writecheck.review_tag WHERE workspace = ${workspace} AND id = ANY (${ids})`;
  }
  return rows.length;
}
