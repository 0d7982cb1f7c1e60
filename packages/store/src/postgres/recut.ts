/** Replaces rows of the log by others with the same leaf hashes. */
import { type LogRows, mayReplace, type StoredRow } from '../archive/log-rows.ts';
import type { Connections } from './connection.ts';
import { LEAVES_PER_LOG } from './schema.ts';

export function prepareRecut({ transaction }: Connections): LogRows['recut'] {
  return (log, seen, rows) =>
    transaction(async (query) => {
      const [held] = await query<{ number: number }>('SELECT number FROM writecheck.log WHERE log = $1', [
        log,
      ]);
      if (held === undefined) return false;
      const base = held.number * LEAVES_PER_LOG;
      const positions = seen.map(({ firstIndex }) => base + firstIndex);
      const before = await query<Pick<StoredRow, 'firstIndex' | 'leafHashes' | 'body'>>(
        `SELECT position - $2 AS "firstIndex", leaf_hashes AS "leafHashes", body FROM writecheck.segment
         WHERE position = ANY ($1) ORDER BY position FOR UPDATE`,
        [positions, base],
      );
      if (!mayReplace(seen, before, rows)) return false;
      await query('DELETE FROM writecheck.segment WHERE position = ANY ($1)', [positions]);
      await query(
        `INSERT INTO writecheck.segment (position, count, oldest_ms, latest_ms, leaf_hashes, body)
         SELECT * FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bytea[])`,
        [
          rows.map(({ firstIndex }) => base + firstIndex),
          rows.map(({ count }) => count),
          rows.map(({ oldestMs }) => oldestMs),
          rows.map(({ latestMs }) => latestMs),
          rows.map(({ leafHashes }) => leafHashes),
          rows.map(({ body }) => body),
        ],
      );
      return true;
    });
}
