/** All read operations: short lookups over the pool. */
import { type Archive, withArchive } from '../archive/archive.ts';
import type { StoredRow } from '../archive/log-rows.ts';
import { decisionTimeMs } from '../decision-time.ts';
import type { LoggedRecord, LogHead, Segment, StoredAnswer, Usage } from '../port.ts';
import { type AnswerRow, storedAnswer } from '../rows.ts';
import { decodeSegment, findInSegment, type StoredSegment } from '../segment.ts';
import type { Query } from './connection.ts';
import { prepareSubtreeHashes } from './log-tree.ts';
import { LEAVES_BITS, LEAVES_PER_LOG } from './schema.ts';
import { SPAN_USUAL_MS } from './schema-tables.ts';

export function prepareReader(query: Query, archive: Archive) {
  const first = async <Row>(text: string, values: readonly unknown[]): Promise<Row | undefined> =>
    (await query<Row>(text, values))[0];
  const numberOf = async (log: string): Promise<number | undefined> =>
    (await first<{ number: number }>('SELECT number FROM writecheck.log WHERE log = $1', [log]))?.number;

  return {
    subtreeHashes: prepareSubtreeHashes(query, numberOf),
    async usage(id: string, period: string): Promise<Usage> {
      const rows = await query<{ kind: string; used: number }>(
        `SELECT kind, sum(used)::bigint AS used FROM writecheck.usage
         WHERE workspace = $1 AND period = $2 GROUP BY kind`,
        [id, period],
      );
      const used = (kind: string): number => rows.find((row) => row.kind === kind)?.used ?? 0;
      return { development: used('development'), live: used('live') };
    },

    async findAnswer(id: string, key: string, nowMs: number): Promise<StoredAnswer | null> {
      const row = await first<AnswerRow>(
        'SELECT * FROM writecheck.idempotency WHERE workspace = $1 AND key = $2 AND expires_ms > $3',
        [id, key, nowMs],
      );
      return row === undefined ? null : storedAnswer(row);
    },

    newestAtMs: async (): Promise<number> =>
      (await first<{ newest: number }>(
        'SELECT coalesce(max(newest_ms), 0) AS newest FROM writecheck.log WHERE is_open',
        [],
      ))!.newest,
    logs: async (): Promise<readonly LogHead[]> =>
      (
        await query<{
          log: string;
          size: number;
          frontier: Buffer;
          newest_ms: number;
          is_open: boolean;
          is_received: boolean;
        }>('SELECT log, size, frontier, newest_ms, is_open, is_received FROM writecheck.log ORDER BY number')
      ).map((row) => ({
        log: row.log,
        size: row.size,
        frontier: row.frontier,
        newestAtMs: row.newest_ms,
        isOpen: row.is_open,
        isReceived: row.is_received,
      })),

    async segments(log: string, fromIndex: number, limit: number): Promise<readonly Segment[]> {
      const rows = await storedRows(log, fromIndex, limit);
      return withArchive(archive, () =>
        rows.map(({ firstIndex, count, leafHashes, body }) => ({
          log,
          firstIndex,
          leafHashes,
          entries: decodeSegment({ position: firstIndex, count, body }),
        })),
      );
    },
    storedRows,

    /** Searches the log itself: the id contains the time, and a segment states the time range of its records. */
    async findDecision(workspace: string, decisionId: string): Promise<LoggedRecord | null> {
      const atMs = decisionTimeMs(decisionId);
      if (atMs === null) return null;
      const rows = await query<{ log: string; position: number; count: number }>(
        `SELECT l.log, s.position, s.count FROM writecheck.segment s
         JOIN writecheck.log l ON l.number = s.position >> ${LEAVES_BITS}
         WHERE s.oldest_ms <= $1::bigint AND (s.latest_ms BETWEEN $1 AND $1 + ${SPAN_USUAL_MS}
             OR (s.latest_ms >= $1 AND s.latest_ms - s.oldest_ms > ${SPAN_USUAL_MS}))`,
        [atMs],
      );
      for (const { log, position, count } of rows) {
        // One at a time: after the clock was set back, thousands of segments may qualify.
        const [stored] = await query<{ body: Buffer }>(
          'SELECT body FROM writecheck.segment WHERE position = $1',
          [position],
        );
        const segment = { position, count, body: stored!.body };
        const found = await withArchive(archive, () => findInSegment(segment, workspace, decisionId));
        if (found === null) continue;
        const { index, record, leaf } = found;
        const firstIndex = position - Math.floor(position / LEAVES_PER_LOG) * LEAVES_PER_LOG;
        return { log, leafIndex: firstIndex + index, treeSize: firstIndex + count, record, leaf };
      }
      return null;
    },
  };

  async function storedRows(log: string, fromIndex: number, limit: number): Promise<readonly StoredRow[]> {
    const number = await numberOf(log);
    if (number === undefined) return [];
    const base = number * LEAVES_PER_LOG;
    const rows = await query<StoredSegment & Omit<StoredRow, 'firstIndex'>>(
      `SELECT position, count, oldest_ms AS "oldestMs", latest_ms AS "latestMs", leaf_hashes AS "leafHashes", body
       FROM writecheck.segment
       WHERE position + count > $1 AND position < $2 AND position >= coalesce(
         (SELECT position FROM writecheck.segment WHERE position BETWEEN $3 AND $1 ORDER BY position DESC LIMIT 1), $3)
       ORDER BY position LIMIT $4`,
      [base + fromIndex, base + LEAVES_PER_LOG, base, limit],
    );
    return rows.map(({ position, ...row }) => ({ ...row, firstIndex: position - base }));
  }
}
