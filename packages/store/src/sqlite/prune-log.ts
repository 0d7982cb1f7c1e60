/** Empties entries of the log in SQLite, a few rows per call, so that no commit waits long behind it. */
import { REVIEW_DESK } from '@writecheck/contract';
import { tileToSettle } from '../archive/settle-tiles.ts';
import type { TileId } from '../archive/tile-name.ts';
import type { PruneQuery } from '../port.ts';
import { boundWithoutResponse, holdsAnyOf } from '../prune/kept-decisions.ts';
import { pruneSegment } from '../prune/prune-segment.ts';
import { prunedTogether } from '../prune/pruned-draws.ts';
import { type ReviewsAtPrune, type ReviewToKeep, reviewsAtPrune } from '../prune/reviews-at-prune.ts';
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
  /** Decisions about the object emptied so far; their redemptions and responses follow. */
  readonly forgotten: ReadonlySet<string>;
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
     ON CONFLICT (place) DO UPDATE SET pruned = excluded.pruned`,
  );
  const readAnswers = db.prepare(
    `SELECT number, replayable_while, response FROM idempotency WHERE number > ? ORDER BY number LIMIT ${ANSWERS_AT_ONCE}`,
  );
  const dropAnswer = db.prepare('DELETE FROM idempotency WHERE number = ?');
  const emptyAnswer = db.prepare(
    "UPDATE idempotency SET response = x'', replayable_while = ? WHERE number = ?",
  );
  const newest = db.prepare('SELECT newest_ms FROM log ORDER BY base DESC, log LIMIT 1').pluck();
  const forget = db.prepare('INSERT OR IGNORE INTO forgotten_decision VALUES (?, ?)');
  const forgottenBefore = db
    .prepare('SELECT decision_id FROM forgotten_decision WHERE workspace = ?')
    .pluck();
  const clearForgotten = db.prepare('DELETE FROM forgotten_decision WHERE workspace = ?');
  const unfinished = db.prepare(
    `SELECT id, state, resolved_ms, document FROM review r WHERE (@workspace IS NULL OR workspace = @workspace)
       AND (state IN ('open', 'rejected') OR (state = 'approved' AND NOT EXISTS (SELECT 1 FROM consumed_attestation c
         WHERE c.workspace = r.workspace AND c.source = '${REVIEW_DESK}' AND c.jti = r.id)))`,
  );
  const ofObject = db
    .prepare(
      'SELECT id FROM review WHERE (@workspace IS NULL OR workspace = @workspace) AND object_ref = @objectRef',
    )
    .pluck();
  const readReviews = db.prepare(
    `SELECT number, workspace, id FROM review WHERE (@workspace IS NULL OR workspace = @workspace)
       AND state <> 'open' AND (@beforeMs IS NULL OR resolved_ms < @beforeMs)
       AND (@objectRef IS NULL OR object_ref = @objectRef) AND id NOT IN (SELECT value FROM json_each(@kept))
     LIMIT ${REVIEWS_AT_ONCE}`,
  );
  const activeFreezes = db.prepare('SELECT id FROM freeze WHERE lifted_ms IS NULL').pluck();
  const forgetOutcomes = db.prepare(
    `UPDATE outcome SET note = NULL, ref = NULL WHERE (note IS NOT NULL OR ref IS NOT NULL)
       AND (@workspace IS NULL OR workspace = @workspace) AND (@beforeMs IS NULL OR recorded_ms < @beforeMs)
       AND (@objectRef IS NULL OR decision_id IN (SELECT value FROM json_each(@decisions)))`,
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
      for (const { number, replayable_while, response } of rows) {
        if (!holdsAnyOf(response, decisions)) continue;
        const bound = boundWithoutResponse(replayable_while);
        if (bound === null) dropAnswer.run(number);
        else emptyAnswer.run(bound, number);
      }
      return rows.length < ANSWERS_AT_ONCE ? null : rows.at(-1)!.number;
    },

    /** Their words; the results stay, so that a redeemed allow does not seem to have none. */
    forgetOutcomes(query: PruneQuery, decisions: ReadonlySet<string>): void {
      forgetOutcomes.run({ ...parametersOf(query), decisions: JSON.stringify([...decisions]) });
    },

    /** Those of an object's prune that was interrupted: their redemptions and responses may still be there. */
    forgottenBefore({ objectRef, workspace = '' }: PruneQuery): ReadonlySet<string> {
      return new Set(objectRef === undefined ? [] : (forgottenBefore.all(workspace) as string[]));
    },

    /** Last of all: until then, the same prune again completes what this one began. */
    clearForgotten({ objectRef, workspace = '' }: PruneQuery): void {
      if (objectRef !== undefined) clearForgotten.run(workspace);
    },

    reviewsAtPrune(query: PruneQuery): ReviewsAtPrune {
      const { workspace, objectRef } = parametersOf(query);
      return reviewsAtPrune(
        unfinished.all({ workspace }) as ReviewToKeep[],
        objectRef === null ? [] : (ofObject.all({ workspace, objectRef }) as string[]),
        newest.get() as number,
        activeFreezes.all() as string[],
      );
    },

    /** The rows repeat the intent. Some at a time; returns how many. */
    dropReviews(query: PruneQuery, { kept }: ReviewsAtPrune): number {
      const rows = readReviews.all({ ...parametersOf(query), kept: JSON.stringify([...kept]) }) as {
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

    /** One pass is enough: a redemption comes after its decision, over all logs of the file. */
    pruneStep(
      query: PruneQuery,
      reviews: ReviewsAtPrune,
      from: number,
      earlier: ReadonlySet<string>,
      onlyCounts: boolean,
    ): PruneStep {
      const forgotten = new Set(earlier);
      const rows = read.all(from, query.beforeMs ?? Number.MAX_SAFE_INTEGER) as StoredSegment[];
      let pruned = 0;
      const toSettle: TileId[] = [];
      for (const segment of rows) {
        const left = pruneSegment(segment, query, reviews, forgotten);
        const tile = onlyCounts ? null : tileToSettle({ ...segment, ...left });
        if (tile !== null) toSettle.push(tile);
        if (left === null) continue;
        if (!onlyCounts) {
          write.run(left.body, segment.position);
          // INVARIANT: in the same transaction, so that a run sees the decisions or their number.
          for (const { workspace, day, decisions } of left.days) countDay.run(workspace, day, decisions);
          for (const drawn of left.draws) {
            const place = Buffer.from(drawn.place, 'hex');
            const pruned = prunedTogether(prunedBefore.get(place) as string | undefined, drawn);
            keepDraws.run(place, drawn.texts, drawn.untilMs, pruned);
          }
        }
        pruned += left.emptied;
      }
      // INVARIANT: in the same transaction, because an emptied record no longer says which object it was about.
      if (!onlyCounts) {
        for (const id of forgotten) if (!earlier.has(id)) forget.run(query.workspace ?? '', id);
      }
      const seen = rows.reduce((sum, { count }) => sum + count, 0);
      const last = rows.at(-1);
      const isEnd = last === undefined || rows.length < SEGMENTS_AT_ONCE;
      return { pruned, seen, next: isEnd ? null : last.position + 1, forgotten, toSettle };
    },
  };
}

/** Null means everything. */
function parametersOf({ workspace, beforeMs, objectRef }: PruneQuery) {
  return { workspace: workspace ?? null, beforeMs: beforeMs ?? null, objectRef: objectRef ?? null };
}
