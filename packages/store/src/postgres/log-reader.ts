/** Reads the logs in PostgreSQL at length, over a connection of its own. */
import { Archive, withArchive } from '../archive/archive.ts';
import type { ArchivePlace } from '../port/archive.ts';
import type { LogReading, LogSpan, TimedSegment } from '../port/log-reading.ts';
import { withBody } from '../segment.ts';
import { LastingConnection, type Query, queryOn } from './connection.ts';
import { toUnavailable } from './postgres-failure.ts';
import { LEAVES_PER_LOG } from './schema.ts';

export function openPostgresLog(url: string, place: ArchivePlace | null): LogReading {
  const archive = new Archive(place);
  const connection = new LastingConnection(url);
  const query: Query = async (text, values) => {
    try {
      return await queryOn(await connection.get())(text, values);
    } catch (thrown) {
      connection.drop();
      throw toUnavailable(thrown);
    }
  };
  return {
    async spans() {
      const logs = await query<{ readonly number: number; readonly size: number }>(
        'SELECT number, size FROM writecheck.log WHERE size > 0 ORDER BY number',
      );
      return logs.map(({ number, size }): LogSpan => {
        const start = number * LEAVES_PER_LOG;
        return { start, end: start + size };
      });
    },
    async segmentAt(position, { start }) {
      const [row] = await query<TimedSegment>(
        `SELECT position, count, latest_ms AS "latestMs" FROM writecheck.segment
         WHERE position BETWEEN $1 AND $2 ORDER BY position DESC LIMIT 1`,
        [start, position],
      );
      return row ?? null;
    },
    async segmentsFrom(position, { end }, { fromMs, toMs }, limit) {
      const rows = await query<TimedSegment>(
        `SELECT position, count, oldest_ms AS "oldestMs", latest_ms AS "latestMs", body FROM writecheck.segment
         WHERE position >= $1 AND position < $2 AND oldest_ms < $3 AND latest_ms >= $4 ORDER BY position LIMIT $5`,
        [position, end, toMs, fromMs, limit],
      );
      return withArchive(archive, () => rows.map(withBody));
    },
    async prunedDecisions(workspace, fromDay, toDay) {
      const [row] = await query<{ readonly decisions: number }>(
        `SELECT coalesce(sum(decisions), 0)::bigint AS decisions FROM writecheck.pruned_day
         WHERE workspace = $1 AND day BETWEEN $2 AND $3`,
        [workspace, fromDay, toDay],
      );
      return row!.decisions;
    },
    async documentsOf(workspace, digest) {
      const [row] = await query<{ readonly documents: string }>(
        `SELECT documents FROM writecheck.policy WHERE workspace = $1 AND digest = $2
         ORDER BY revision DESC LIMIT 1`,
        [workspace, digest],
      );
      return row?.documents ?? null;
    },
    async firstKeys(workspace) {
      const rows = await query<{ readonly id: string; readonly first: string }>(
        'SELECT id, coalesce(lineage, id) AS first FROM writecheck.api_key WHERE workspace = $1',
        [workspace],
      );
      return new Map(rows.map(({ id, first }) => [id, first]));
    },
    async redeemedAmong(workspace, ids) {
      const rows = await query<{ readonly decision_id: string }>(
        'SELECT decision_id FROM writecheck.redemption WHERE workspace = $1 AND decision_id = ANY ($2)',
        [workspace, ids],
      );
      return new Set(rows.map((row) => row.decision_id));
    },
    async approvedSince(workspace, sinceMs) {
      const rows = await query<{ readonly intent_digest: string }>(
        `SELECT DISTINCT intent_digest FROM writecheck.review
         WHERE workspace = $1 AND key_kind = 'live' AND state = 'approved' AND resolved_ms >= $2`,
        [workspace, sinceMs],
      );
      return new Set(rows.map((row) => row.intent_digest));
    },
    close: () => connection.close(),
  };
}
