/** Empties entries of the logs in PostgreSQL, a few segments per transaction, so that no lock is held for long. */
import { type Archive, withArchive } from '../archive/archive.ts';
import type { LogRows } from '../archive/log-rows.ts';
import { settleTiles, tileToSettle } from '../archive/settle-tiles.ts';
import type { TileId } from '../archive/tile-name.ts';
import type { Progress, PruneQuery } from '../port.ts';
import { type Pass, pruneSegment } from '../prune/prune-segment.ts';
import { type PrunedDraws, prunedTogether } from '../prune/pruned-draws.ts';
import type { ReviewsAtPrune } from '../prune/reviews-at-prune.ts';
import type { StoredSegment } from '../segment.ts';
import { forgetFreezeWords } from '../tables/freezes.ts';
import type { Connections, Query } from './connection.ts';
import {
  dropReviews,
  forgetAnswers,
  forgetKinds,
  forgetOutcomes,
  forgottenBefore,
  lookUpReviews,
  unindex,
} from './prune-tables.ts';
import { runWrite } from './run-operation.ts';

const SEGMENTS_AT_ONCE = 16;

/** What a prune works on. */
export interface PruneParts {
  readonly pool: Connections;
  readonly logRows: LogRows;
  readonly archive: Archive;
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
 * the decisions of an object, and a second pass what follows them.
 */
function passesOf({ objectRef }: PruneQuery): readonly Pass[] {
  return objectRef === undefined ? [undefined] : ['others', 'followers'];
}

export async function pruneLogs(
  { pool, logRows, archive }: PruneParts,
  query: PruneQuery,
  onlyCounts: boolean,
  progress?: Progress,
): Promise<number> {
  const { query: run } = pool;
  const forgotten = await forgottenBefore(run, query);
  const reviews = await lookUpReviews(run, query);
  const [all] = await run<{ readonly total: number }>(
    'SELECT coalesce(sum(size), 0)::bigint AS total FROM writecheck.log',
  );
  const total = all!.total * passesOf(query).length;
  let seen = 0;
  const pruning: Pruning = { query, reviews, forgotten, onlyCounts };
  let emptied = 0;
  for (const pass of passesOf(query)) {
    for (let next: number | null = 0; next !== null; ) {
      const done: Step = await step(pool, archive, next, pruning, pass);
      await settleTiles(logRows, archive, done.toSettle);
      emptied += done.emptied;
      next = done.next;
      seen += done.seen;
      progress?.(Math.min(seen, total), total);
    }
  }
  if (onlyCounts) return emptied;
  if (forgotten.size > 0) await forgetAnswers(run, forgotten);
  await forgetOutcomes(run, query, forgotten);
  await runWrite(pool, () => forgetFreezeWords(query));
  await dropReviews(run, query, reviews);
  await unindex(pool, query, reviews);
  await forgetKinds(pool, query);
  // Last of all: until here, the same prune again completes what this one began.
  if (query.objectRef !== undefined) {
    await run('DELETE FROM writecheck.forgotten_decision WHERE workspace = $1', [query.workspace ?? '']);
  }
  return emptied;
}

function step(
  { transaction }: Connections,
  archive: Archive,
  from: number,
  pruning: Pruning,
  pass: Pass,
): Promise<Step> {
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
    const draws: PrunedDraws[] = [];
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
      draws.push(...left.draws);
    }
    for (const drawn of draws.sort((a, b) => (a.place < b.place ? -1 : 1))) await keepDraws(locked, drawn);
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

/** Under the lock of the group's row. INVARIANT: in order of place, as a commit draws, so that no two wait in a circle. */
async function keepDraws(locked: Query, drawn: PrunedDraws): Promise<void> {
  const place = Buffer.from(drawn.place, 'hex');
  const [row] = await locked<{ readonly pruned: string }>(
    'SELECT pruned FROM writecheck.limit_draws WHERE place = $1 FOR UPDATE',
    [place],
  );
  await locked(
    `INSERT INTO writecheck.limit_draws (place, texts, draws, until_ms, pruned) VALUES ($1, $2, '', $3, $4)
     ON CONFLICT (place) DO UPDATE SET pruned = excluded.pruned`,
    [place, drawn.texts, drawn.untilMs, prunedTogether(row?.pruned, drawn)],
  );
}
