/** Reads the log of a SQLite file at length, in short reads: a long one would keep the write-ahead log growing. */
import { Archive, withArchive } from '../archive/archive.ts';
import type { ArchivePlace } from '../port/archive.ts';
import type { LogReading, LogSpan, TimedSegment, TimeRange } from '../port/log-reading.ts';
import { withBody } from '../segment.ts';
import { openReader } from './open-database.ts';
import { toUnavailable } from './store-failure.ts';

export function openSqliteLog(folder: string, place: ArchivePlace | null): LogReading {
  const archive = new Archive(place);
  const db = openReader(folder);
  const logs = db.prepare('SELECT base, size FROM log WHERE size > 0 ORDER BY base');
  const at = db.prepare(
    'SELECT position, count, horizon_ms AS latestMs FROM segment WHERE position BETWEEN ? AND ? ORDER BY position DESC LIMIT 1',
  );
  const from = db.prepare(
    `SELECT position, count, oldest_ms AS oldestMs, horizon_ms AS latestMs, body FROM segment
     WHERE position >= @position AND position < @end AND oldest_ms < @toMs AND horizon_ms >= @fromMs
     ORDER BY position LIMIT @limit`,
  );
  const pruned = db
    .prepare('SELECT coalesce(sum(decisions), 0) FROM pruned_day WHERE workspace = ? AND day BETWEEN ? AND ?')
    .pluck();
  const documents = db
    .prepare('SELECT documents FROM policy WHERE workspace = ? AND digest = ? ORDER BY revision DESC LIMIT 1')
    .pluck();
  const firstKeys = db.prepare('SELECT id, coalesce(lineage, id) AS first FROM api_key WHERE workspace = ?');
  const redeemed = db.prepare('SELECT 1 FROM redemption WHERE workspace = ? AND decision_id = ?').pluck();
  const approved = db
    .prepare(
      `SELECT DISTINCT intent_digest FROM review
       WHERE workspace = ? AND key_kind = 'live' AND state = 'approved' AND resolved_ms >= ?`,
    )
    .pluck();
  async function reading<T>(read: () => T): Promise<T> {
    try {
      return await withArchive(archive, read);
    } catch (thrown) {
      throw toUnavailable(thrown);
    }
  }
  return {
    spans: () =>
      reading(() =>
        (logs.all() as { readonly base: number; readonly size: number }[]).map(
          ({ base, size }): LogSpan => ({ start: base, end: base + size }),
        ),
      ),
    segmentAt: (position, { start }) =>
      reading(() => (at.get(start, position) as TimedSegment | undefined) ?? null),
    segmentsFrom: (position: number, span: LogSpan, range: TimeRange, limit: number) =>
      reading(() => (from.all({ position, end: span.end, ...range, limit }) as TimedSegment[]).map(withBody)),
    prunedDecisions: (workspace, fromDay, toDay) =>
      reading(() => pruned.get(workspace, fromDay, toDay) as number),
    documentsOf: (workspace, digest) =>
      reading(() => (documents.get(workspace, digest) as string | undefined) ?? null),
    firstKeys: (workspace) =>
      reading(() => {
        const rows = firstKeys.all(workspace) as { readonly id: string; readonly first: string }[];
        return new Map(rows.map(({ id, first }) => [id, first]));
      }),
    redeemedAmong: (workspace, ids) =>
      reading(() => new Set(ids.filter((id) => redeemed.get(workspace, id) !== undefined))),
    approvedSince: (workspace, sinceMs) =>
      reading(() => new Set(approved.all(workspace, sinceMs) as string[])),
    close: async () => void db.close(),
  };
}
