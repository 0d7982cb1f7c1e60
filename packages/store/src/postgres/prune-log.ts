/** Empties entries of the logs in PostgreSQL, a few segments per transaction, so that no lock is held for long. */
import { type Archive, withArchive } from '../archive/archive.ts';
import type { LogRows } from '../archive/log-rows.ts';
import { settleTiles, tileToSettle } from '../archive/settle-tiles.ts';
import type { TileId } from '../archive/tile-name.ts';
import type { Progress, Prunable } from '../port.ts';
import { type FindParts, reviewsNow } from '../prune/find-prunable.ts';
import { pruneSegment } from '../prune/prune-segment.ts';
import { type PrunedDraws, prunedTogether } from '../prune/pruned-draws.ts';
import type { ReviewsAtPrune } from '../prune/reviews-at-prune.ts';
import { BEFORE_ALL, type StoredSegment } from '../segment.ts';
import { forgetFreezeWords } from '../tables/freezes.ts';
import type { Connections, Query } from './connection.ts';
import { dropReviews, forgetAnswers, forgetKinds, forgetOutcomes, unindex } from './prune-tables.ts';
import { runWrite } from './run-operation.ts';

const SEGMENTS_AT_ONCE = 16;

/** What a prune works on. */
export interface PruneParts {
  readonly pool: Connections;
  readonly logRows: LogRows & Pick<FindParts, 'unfinishedReviews' | 'activeFreezeIds' | 'newestAtMs'>;
  readonly archive: Archive;
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

/** INVARIANT: the log names the erasure already. */
export async function pruneLogs(
  { pool, logRows, archive }: PruneParts,
  found: Prunable,
  progress?: Progress,
): Promise<number> {
  const { query: run } = pool;
  const reviews = await reviewsNow(logRows, found.workspace);
  const [all] = await run<{ readonly total: number }>(
    'SELECT coalesce(sum(size), 0)::bigint AS total FROM writecheck.log',
  );
  let seen = 0;
  let emptied = 0;
  for (let next: number | null = BEFORE_ALL; next !== null; ) {
    const done: Step = await step(pool, archive, next, found, reviews);
    await settleTiles(logRows, archive, done.toSettle);
    emptied += done.emptied;
    next = done.next;
    seen += done.seen;
    progress?.(Math.min(seen, all!.total), all!.total);
  }
  if (found.only !== null && found.only.decisions.size > 0) await forgetAnswers(run, found.only.decisions);
  await forgetOutcomes(run, found);
  await runWrite(pool, () => forgetFreezeWords(found));
  await dropReviews(run, found, reviews);
  await unindex(pool, found, reviews);
  await forgetKinds(pool, found);
  return emptied;
}

function step(
  { transaction }: Connections,
  archive: Archive,
  from: number,
  found: Prunable,
  reviews: ReviewsAtPrune,
): Promise<Step> {
  const beforeMs = found.only === null ? found.beforeMs : undefined;
  return transaction(async (locked) => {
    const rows = await locked<StoredSegment>(
      `SELECT position, count, body FROM writecheck.segment WHERE position >= $1 AND oldest_ms < $2
       ORDER BY position LIMIT ${SEGMENTS_AT_ONCE} FOR UPDATE`,
      [from, beforeMs ?? Number.MAX_SAFE_INTEGER],
    );
    let emptied = 0;
    const toSettle: TileId[] = [];
    const draws: PrunedDraws[] = [];
    for (const segment of rows) {
      const left = await withArchive(archive, () => pruneSegment(segment, found, reviews));
      const tile = tileToSettle({ ...segment, ...left });
      if (tile !== null) toSettle.push(tile);
      if (left === null) continue;
      emptied += left.emptied;
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
    `INSERT INTO writecheck.limit_draws AS d (place, texts, draws, until_ms, pruned) VALUES ($1, $2, '', $3, $4)
     ON CONFLICT (place) DO UPDATE SET pruned = excluded.pruned, until_ms = greatest(d.until_ms, excluded.until_ms)`,
    [place, drawn.texts, drawn.untilMs, prunedTogether(row?.pruned, drawn)],
  );
}
