/** All operations that read the database itself: short lookups on a connection that cannot write. */
import type { StoredRow } from '../archive/log-rows.ts';
import type { LogHead, Segment, StoredAnswer, Usage } from '../port.ts';
import { type AnswerRow, storedAnswer } from '../rows.ts';
import { decodeSegment, type StoredSegment } from '../segment.ts';
import { prepareFindDecision } from './find-decision.ts';
import { FIND_ANSWER } from './kept-answers.ts';
import { prepareSubtreeReader } from './log-tree.ts';
import type { Db } from './open-database.ts';

interface HeadRow {
  readonly log: string;
  readonly size: number;
  readonly frontier: Buffer;
  readonly newest_ms: number;
  readonly is_received: number;
}

export function prepareReader(db: Db) {
  const usage = db.prepare('SELECT kind, used FROM usage WHERE workspace = ? AND period = ?');
  const answer = db.prepare(FIND_ANSWER);
  // Removed in about the order in which they came, so few numbers in between are free.
  const answers = db.prepare('SELECT coalesce(max(number) - min(number) + 1, 0) FROM idempotency').pluck();
  const newest = db.prepare('SELECT newest_ms FROM log ORDER BY base DESC, log LIMIT 1').pluck();
  const logs = db.prepare(
    'SELECT log, base, size, frontier, newest_ms, is_received FROM log ORDER BY base, log',
  );
  const segments = db.prepare(
    `SELECT position, count, oldest_ms AS oldestMs, horizon_ms AS latestMs, leaf_hashes AS leafHashes, body FROM segment WHERE log = @log AND position + count > @from AND position >=
       coalesce((SELECT max(position) FROM segment WHERE position <= @from), 0)
     ORDER BY position LIMIT @limit`,
  );

  return {
    findDecision: prepareFindDecision(db),
    subtreeHashes: prepareSubtreeReader(db),
    usage(id: string, period: string): Usage {
      const rows = usage.all(id, period) as { kind: string; used: number }[];
      const used = (kind: string): number => rows.find((row) => row.kind === kind)?.used ?? 0;
      return { development: used('development'), live: used('live') };
    },

    findAnswer(id: string, key: string, nowMs: number): StoredAnswer | null {
      const row = answer.get(id, key, nowMs) as AnswerRow | undefined;
      return row === undefined ? null : storedAnswer(row);
    },

    answerRows: (): number => answers.get() as number,
    newestAtMs: (): number => newest.get() as number,
    look: () => ({ newestAtMs: newest.get() as number, clockMs: null }),
    logs: (): readonly LogHead[] =>
      (logs.all() as HeadRow[]).map((row) => ({
        log: row.log,
        size: row.size,
        frontier: row.frontier,
        newestAtMs: row.newest_ms,
        isReceived: row.is_received === 1,
      })),
    segments(log: string, fromIndex: number, limit: number): readonly Segment[] {
      return storedRows(log, fromIndex, limit).map(({ firstIndex, count, leafHashes, body }) => ({
        log,
        firstIndex,
        entries: decodeSegment({ position: firstIndex, count, body }),
        leafHashes,
      }));
    },
    storedRows,
  };

  function storedRows(log: string, fromIndex: number, limit: number): readonly StoredRow[] {
    const base = (logs.all() as { log: string; base: number }[]).find((row) => row.log === log)?.base;
    if (base === undefined) return [];
    const rows = segments.all({ log, from: base + fromIndex, limit }) as (Omit<StoredRow, 'firstIndex'> &
      StoredSegment)[];
    return rows.map(({ position, ...row }) => ({ ...row, firstIndex: position - base }));
  }
}

export type Reader = ReturnType<typeof prepareReader>;
