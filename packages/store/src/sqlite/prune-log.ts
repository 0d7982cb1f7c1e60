/** Empties entries of the log in SQLite, a few rows per call, so that no commit waits long behind it. */
import { tileToSettle } from '../archive/settle-tiles.ts';
import type { TileId } from '../archive/tile-name.ts';
import type { Prunable } from '../port.ts';
import { boundWithoutResponse, holdsAnyOf } from '../prune/kept-decisions.ts';
import { pruneSegment } from '../prune/prune-segment.ts';
import { prunedTogether } from '../prune/pruned-draws.ts';
import type { ReviewsAtPrune } from '../prune/reviews-at-prune.ts';
import type { StoredSegment } from '../segment.ts';
import type { Db } from './open-database.ts';

/** A commit of the service may wait for one step: milliseconds. */
const SEGMENTS_AT_ONCE = 8;
const ANSWERS_AT_ONCE = 100;
const REVIEWS_AT_ONCE = 100;

export interface PruneStep {
  readonly pruned: number;
  /** How many entries it looked at. */
  readonly seen: number;
  /** Where to continue; null at the end. */
  readonly next: number | null;
  /** Tiles of the archive that still hold what the database has emptied. */
  readonly toSettle: readonly TileId[];
}

/** Each call gets what it must know of earlier ones as an argument. */
export function preparePrune(db: Db) {
  const read = db.prepare(
    `SELECT position, count, body FROM segment WHERE position >= ? AND oldest_ms < ? ORDER BY position LIMIT ${SEGMENTS_AT_ONCE}`,
  );
  const write = db.prepare('UPDATE segment SET body = ? WHERE position = ?');
  const countDay = db.prepare(
    `INSERT INTO pruned_day VALUES (?, ?, ?)
     ON CONFLICT (workspace, day) DO UPDATE SET decisions = decisions + excluded.decisions`,
  );
  const prunedBefore = db.prepare('SELECT pruned FROM limit_draws WHERE place = ?').pluck();
  const keepDraws = db.prepare(
    `INSERT INTO limit_draws (place, texts, draws, until_ms, pruned) VALUES (?, ?, '', ?, ?)
     ON CONFLICT (place) DO UPDATE SET pruned = excluded.pruned, until_ms = max(until_ms, excluded.until_ms)`,
  );
  const readAnswers = db.prepare(
    `SELECT number, replayable_while, response FROM idempotency WHERE number > ? ORDER BY number LIMIT ${ANSWERS_AT_ONCE}`,
  );
  const dropAnswer = db.prepare('DELETE FROM idempotency WHERE number = ?');
  const emptyAnswer = db.prepare(
    "UPDATE idempotency SET response = x'', replayable_while = ? WHERE number = ?",
  );
  const readReviews = db.prepare(
    `SELECT number, workspace, id FROM review WHERE (@workspace IS NULL OR workspace = @workspace)
       AND state <> 'open' AND (@beforeMs IS NULL OR resolved_ms < @beforeMs)
       AND (@reviews IS NULL OR id IN (SELECT value FROM json_each(@reviews))) AND id NOT IN (SELECT value FROM json_each(@kept))
     LIMIT ${REVIEWS_AT_ONCE}`,
  );
  const forgetOutcomes = db.prepare(
    `UPDATE outcome SET note = NULL, ref = NULL WHERE (note IS NOT NULL OR ref IS NOT NULL)
       AND (@workspace IS NULL OR workspace = @workspace) AND (@beforeMs IS NULL OR recorded_ms < @beforeMs)
       AND (@decisions IS NULL OR decision_id IN (SELECT value FROM json_each(@decisions)))`,
  );
  const dropReview = db.prepare('DELETE FROM review WHERE number = ?');
  const dropTags = db.prepare('DELETE FROM review_tag WHERE workspace = ? AND id = ?');
  return {
    forgetAnswers(decisions: ReadonlySet<string>, after: number): number | null {
      const rows = readAnswers.all(after) as {
        readonly number: number;
        readonly replayable_while: string;
        readonly response: Buffer;
      }[];
      for (const row of rows) {
        if (!holdsAnyOf(row, decisions)) continue;
        const bound = boundWithoutResponse(row);
        if (bound === null) dropAnswer.run(row.number);
        else emptyAnswer.run(bound, row.number);
      }
      return rows.length < ANSWERS_AT_ONCE ? null : rows.at(-1)!.number;
    },

    /** Their words; the results stay, so that a redeemed allow does not seem to have none. */
    forgetOutcomes(found: Prunable): void {
      const { workspace, beforeMs, decisions } = parametersOf(found);
      forgetOutcomes.run({ workspace, beforeMs, decisions });
    },

    /** The rows repeat the intent. Some at a time; returns how many. */
    dropReviews(found: Prunable, { kept }: ReviewsAtPrune): number {
      const { workspace, beforeMs, reviews } = parametersOf(found);
      const parameters = { workspace, beforeMs, reviews, kept: JSON.stringify([...kept]) };
      const rows = readReviews.all(parameters) as {
        readonly number: number;
        readonly workspace: string;
        readonly id: string;
      }[];
      for (const { number, workspace, id } of rows) {
        dropReview.run(number);
        dropTags.run(workspace, id);
      }
      return rows.length;
    },

    pruneStep(found: Prunable, reviews: ReviewsAtPrune, from: number): PruneStep {
      const beforeMs = found.only === null ? found.beforeMs : undefined;
      const rows = read.all(from, beforeMs ?? Number.MAX_SAFE_INTEGER) as StoredSegment[];
      let pruned = 0;
      const toSettle: TileId[] = [];
      for (const segment of rows) {
        const left = pruneSegment(segment, found, reviews);
        const tile = tileToSettle({ ...segment, ...left });
        if (tile !== null) toSettle.push(tile);
        if (left === null) continue;
        write.run(left.body, segment.position);
        // INVARIANT: in the same transaction, so that a run sees the decisions or their number.
        for (const { workspace, day, decisions } of left.days) countDay.run(workspace, day, decisions);
        for (const drawn of left.draws) {
          const place = Buffer.from(drawn.place, 'hex');
          const together = prunedTogether(prunedBefore.get(place) as string | undefined, drawn);
          keepDraws.run(place, drawn.texts, drawn.untilMs, together);
        }
        pruned += left.emptied;
      }
      const seen = rows.reduce((sum, { count }) => sum + count, 0);
      const last = rows.at(-1);
      const isEnd = last === undefined || rows.length < SEGMENTS_AT_ONCE;
      return { pruned, seen, next: isEnd ? null : last.position + 1, toSettle };
    },
  };
}

/** Null means everything. What is named by its id goes whatever its age. */
function parametersOf({ workspace, beforeMs, only }: Prunable) {
  return {
    workspace: workspace ?? null,
    beforeMs: only === null ? (beforeMs ?? null) : null,
    decisions: only === null ? null : JSON.stringify([...only.decisions]),
    reviews: only === null ? null : JSON.stringify([...only.reviews]),
  };
}
