/** Empties entries of the logs in PostgreSQL, a few segments per transaction, so that no lock is held for long. */
import { REVIEW_DESK } from '@writecheck/contract';
import { type Archive, withArchive } from '../archive/archive.ts';
import type { LogRows } from '../archive/log-rows.ts';
import { settleTiles, tileToSettle } from '../archive/settle-tiles.ts';
import type { TileId } from '../archive/tile-name.ts';
import { DAY_MS } from '../index/decision-kinds.ts';
import type { Progress, PruneQuery } from '../port.ts';
import { holdsAnyOf } from '../prune/kept-decisions.ts';
import { type Pass, pruneSegment } from '../prune/prune-segment.ts';
import { type ReviewsAtPrune, type ReviewToKeep, reviewsAtPrune } from '../prune/reviews-at-prune.ts';
import type { StoredSegment } from '../segment.ts';
import type { Connections } from './connection.ts';
import { originalText, storableText } from './storable-text.ts';

const SEGMENTS_AT_ONCE = 16;
const ANSWERS_AT_ONCE = 500;
const REVIEWS_AT_ONCE = 500;
const INDEX_ROWS_AT_ONCE = 10_000;

interface AnswerRow {
  readonly workspace: string;
  readonly key: string;
  readonly request_digest: string;
  readonly response: Buffer;
}

interface IndexPlace {
  readonly at_ms: number;
  readonly position: number;
}

interface Pruning {
  readonly query: PruneQuery;
  readonly reviews: ReviewsAtPrune;
  /** Decisions about the object found so far. */
  readonly forgotten: Set<string>;
  readonly onlyCounts: boolean;
}

interface Step {
  readonly emptied: number;
  /** How many entries it looked at. */
  readonly seen: number;
  /** Where to continue; null at the end. */
  readonly next: number | null;
  /** Tiles of the archive that still hold what the database has emptied. */
  readonly toSettle: readonly TileId[];
}

/**
 * Another writer may have recorded a redemption in a log that is read before the decision's log. So a first pass names
 * the decisions of an object, and a second pass their redemptions.
 */
function passesOf({ objectRef }: PruneQuery): readonly Pass[] {
  return objectRef === undefined ? [undefined] : ['others', 'redemptions'];
}

/** Null means everything. */
function parametersOf({ workspace, beforeMs, objectRef }: PruneQuery) {
  return [
    workspace ?? null,
    beforeMs ?? null,
    objectRef === undefined ? null : storableText(objectRef),
  ] as const;
}

export function preparePrune({ transaction, query: run }: Connections, logRows: LogRows, archive: Archive) {
  function step(from: number, pruning: Pruning, pass: Pass): Promise<Step> {
    const { query, reviews, forgotten, onlyCounts } = pruning;
    return transaction(async (locked) => {
      const rows = await locked<StoredSegment>(
        `SELECT position, count, body FROM writecheck.segment WHERE position >= $1 AND oldest_ms < $2
         ORDER BY position LIMIT ${SEGMENTS_AT_ONCE} FOR UPDATE`,
        [from, query.beforeMs ?? Number.MAX_SAFE_INTEGER],
      );
      let emptied = 0;
      const found = forgotten.size;
      const toSettle: TileId[] = [];
      for (const segment of rows) {
        const left = await withArchive(archive, () => pruneSegment(segment, query, reviews, forgotten, pass));
        const tile = onlyCounts ? null : tileToSettle({ ...segment, ...left });
        if (tile !== null) toSettle.push(tile);
        if (left === null) continue;
        emptied += left.emptied;
        if (onlyCounts) continue;
        await locked('UPDATE writecheck.segment SET body = $2 WHERE position = $1', [
          segment.position,
          left.body,
        ]);
        // INVARIANT: in the same transaction, so that a run sees the decisions or their number.
        for (const { workspace, day, decisions } of left.days) {
          await locked(
            `INSERT INTO writecheck.pruned_day AS p VALUES ($1, $2, $3)
             ON CONFLICT (workspace, day) DO UPDATE SET decisions = p.decisions + excluded.decisions`,
            [workspace, day, decisions],
          );
        }
      }
      // INVARIANT: in the same transaction, because an emptied record no longer says which object it was about.
      if (!onlyCounts && forgotten.size > found) {
        await locked(
          'INSERT INTO writecheck.forgotten_decision SELECT $1, * FROM unnest($2::text[]) ON CONFLICT DO NOTHING',
          [query.workspace ?? '', [...forgotten].slice(found)],
        );
      }
      const seen = rows.reduce((sum, { count }) => sum + count, 0);
      const next = rows.length < SEGMENTS_AT_ONCE ? null : rows.at(-1)!.position + 1;
      return { emptied, seen, next, toSettle };
    });
  }

  async function forgetAnswers(decisions: ReadonlySet<string>): Promise<void> {
    for (let after = { workspace: '', key: '' }; ; ) {
      const rows = await run<AnswerRow>(
        `SELECT workspace, key, request_digest, response FROM writecheck.idempotency
         WHERE (workspace, key) > ($1, $2) ORDER BY workspace, key LIMIT ${ANSWERS_AT_ONCE}`,
        [after.workspace, after.key],
      );
      for (const { workspace, key, request_digest, response } of rows) {
        if (!holdsAnyOf(response, decisions)) continue;
        await run(
          'DELETE FROM writecheck.idempotency WHERE workspace = $1 AND key = $2 AND request_digest = $3',
          [workspace, key, request_digest],
        );
      }
      if (rows.length < ANSWERS_AT_ONCE) return;
      after = rows.at(-1)!;
    }
  }

  async function lookUpReviews(query: PruneQuery): Promise<ReviewsAtPrune> {
    const [workspace, , objectRef] = parametersOf(query);
    const unfinished = await run<ReviewToKeep>(
      `SELECT id, state, resolved_ms, document FROM writecheck.review r WHERE ($1::text IS NULL OR workspace = $1)
         AND (state IN ('open', 'rejected') OR (state = 'approved' AND NOT EXISTS (SELECT 1 FROM writecheck.consumed_attestation c
           WHERE c.workspace = r.workspace AND c.source = '${REVIEW_DESK}' AND c.jti = r.id)))`,
      [workspace],
    );
    const ofObject = await run<{ readonly id: string }>(
      'SELECT id FROM writecheck.review WHERE ($1::text IS NULL OR workspace = $1) AND object_ref = $2',
      [workspace, objectRef],
    );
    const [log] = await run<{ readonly newest: number }>(
      'SELECT coalesce(max(newest_ms), 0) AS newest FROM writecheck.log WHERE is_open',
    );
    return reviewsAtPrune(
      unfinished.map((row) => ({ ...row, document: originalText(row.document) })),
      ofObject.map(({ id }) => id),
      log!.newest,
    );
  }

  /** The rows repeat the intent. */
  async function dropReviews(query: PruneQuery, { kept }: ReviewsAtPrune): Promise<void> {
    for (;;) {
      const gone = await run(
        `WITH gone AS (DELETE FROM writecheck.review WHERE (workspace, id) IN (
             SELECT workspace, id FROM writecheck.review WHERE ($1::text IS NULL OR workspace = $1)
               AND state <> 'open' AND ($2::bigint IS NULL OR resolved_ms < $2)
               AND ($3::text IS NULL OR object_ref = $3) AND id <> ALL ($4::text[]) LIMIT ${REVIEWS_AT_ONCE})
           RETURNING workspace, id),
         untagged AS (DELETE FROM writecheck.review_tag t USING gone g WHERE t.workspace = g.workspace AND t.id = g.id)
         SELECT 1 FROM gone`,
        [...parametersOf(query), [...kept]],
      );
      if (gone.length < REVIEWS_AT_ONCE) return;
    }
  }

  /**
   * Piece by piece, along the index by time. Rows of a prune that was interrupted are gone then, too: they are named by
   * what the index holds.
   */
  async function unindex(query: PruneQuery, { keptDecisions }: ReviewsAtPrune): Promise<void> {
    // A process that is filling the index right now may have read the old entries; it has finished after this.
    await transaction((locked) => locked('SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE'));
    const [only, beforeMs, objectRef] = parametersOf(query);
    const workspaces = await run<{ readonly id: string }>(
      'SELECT id FROM writecheck.workspace WHERE $1::text IS NULL OR id = $1',
      [only],
    );
    for (const { id } of workspaces) {
      for (let after: IndexPlace | undefined = { at_ms: 0, position: -1 }; after !== undefined; ) {
        const gone: readonly IndexPlace[] = await run<IndexPlace>(
          `WITH gone AS (DELETE FROM writecheck.decision WHERE position IN (SELECT position FROM writecheck.decision
             WHERE workspace = $1 AND (at_ms, position) > ($2, $3) AND ($4::bigint IS NULL OR at_ms < $4)
               AND ($5::text IS NULL OR (md5(object_ref) = md5($5) AND object_ref = $5))
               AND decision_id <> ALL ($6::text[])
             ORDER BY at_ms, position LIMIT ${INDEX_ROWS_AT_ONCE}) RETURNING at_ms, position)
           SELECT at_ms, position FROM gone ORDER BY at_ms DESC, position DESC LIMIT 1`,
          [id, after.at_ms, after.position, beforeMs, objectRef, [...keptDecisions]],
        );
        after = gone[0];
      }
    }
  }

  /** Of days that have no decision left; a review may keep some of them. */
  async function forgetKinds({ workspace, beforeMs, objectRef }: PruneQuery): Promise<void> {
    if (beforeMs === undefined || objectRef !== undefined) return;
    await transaction(async (locked) => {
      await locked('SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE');
      await locked(
        `DELETE FROM writecheck.decision_kind k WHERE day < $1 AND ($2::text IS NULL OR workspace = $2)
           AND NOT EXISTS (SELECT 1 FROM writecheck.decision d WHERE d.workspace = k.workspace
             AND d.at_ms >= k.day * ${DAY_MS}::bigint AND d.at_ms < (k.day + 1) * ${DAY_MS}::bigint)`,
        [Math.floor(beforeMs / DAY_MS), workspace ?? null],
      );
    });
  }

  /** Those of an object's prune that was interrupted: their redemptions and responses may still be there. */
  async function forgottenBefore({ objectRef, workspace = '' }: PruneQuery): Promise<Set<string>> {
    if (objectRef === undefined) return new Set();
    const rows = await run<{ readonly decision_id: string }>(
      'SELECT decision_id FROM writecheck.forgotten_decision WHERE workspace = $1',
      [workspace],
    );
    return new Set(rows.map(({ decision_id }) => decision_id));
  }

  return async (query: PruneQuery, onlyCounts: boolean, progress?: Progress): Promise<number> => {
    const forgotten = await forgottenBefore(query);
    const reviews = await lookUpReviews(query);
    const [all] = await run<{ readonly total: number }>(
      'SELECT coalesce(sum(size), 0)::bigint AS total FROM writecheck.log',
    );
    const total = all!.total * passesOf(query).length;
    let seen = 0;
    const pruning: Pruning = { query, reviews, forgotten, onlyCounts };
    let emptied = 0;
    for (const pass of passesOf(query)) {
      for (let next: number | null = 0; next !== null; ) {
        const done: Step = await step(next, pruning, pass);
        await settleTiles(logRows, archive, done.toSettle);
        emptied += done.emptied;
        next = done.next;
        seen += done.seen;
        progress?.(Math.min(seen, total), total);
      }
    }
    if (onlyCounts) return emptied;
    if (forgotten.size > 0) await forgetAnswers(forgotten);
    await dropReviews(query, reviews);
    await unindex(query, reviews);
    await forgetKinds(query);
    // Last of all: until here, the same prune again completes what this one began.
    if (query.objectRef !== undefined) {
      await run('DELETE FROM writecheck.forgotten_decision WHERE workspace = $1', [query.workspace ?? '']);
    }
    return emptied;
  };
}
