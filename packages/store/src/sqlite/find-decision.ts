/** Finds a decision by its id in the logs themselves: the id contains the time, and a log's segments are in order of time. */
import { LATENESS_MS_MAX } from '../commit/lateness.ts';
import { decisionTimeMs } from '../log/decision-time.ts';
import { DecodedSegments } from '../log/decoded-segments.ts';
import { findInSegment } from '../log/segment.ts';
import type { LoggedRecord } from '../port.ts';
import type { Db } from './open-database.ts';

interface SegmentRow {
  readonly position: number;
  readonly log: string;
  readonly count: number;
  readonly oldest_ms: number;
  readonly latest_ms: number;
}

interface LogRow {
  readonly log: string;
  readonly base: number;
  readonly size: number;
}

export function prepareFindDecision(db: Db) {
  const logs = db.prepare('SELECT log, base, size FROM log WHERE size > 0 ORDER BY base DESC');
  const atOrBefore = db.prepare(
    `SELECT position, log, count, oldest_ms, latest_ms FROM segment
     WHERE position <= ? ORDER BY position DESC LIMIT 1`,
  );
  const from = db.prepare(
    `SELECT position, log, count, oldest_ms, latest_ms FROM segment
     WHERE position >= ? AND position < ? ORDER BY position`,
  );
  const body = db.prepare('SELECT body FROM segment WHERE position = ?').pluck();
  const decoded = new DecodedSegments();

  /** The position of the first segment of a log whose horizon reaches the time: no earlier one can contain it. */
  function firstReaching(atMs: number, { base, size }: LogRow): number {
    let low = base;
    let high = base + size;
    while (low < high) {
      const row = atOrBefore.get(Math.floor((low + high) / 2)) as SegmentRow | undefined;
      if (row === undefined) break;
      if (row.latest_ms < atMs) low = row.position + row.count;
      else high = row.position;
    }
    return low;
  }

  function findIn(log: LogRow, workspace: string, decisionId: string, atMs: number): LoggedRecord | null {
    let horizonBefore = 0;
    const rows = from.iterate(firstReaching(atMs, log), log.base + log.size);
    for (const row of rows as IterableIterator<SegmentRow>) {
      // INVARIANT: the commit refuses anything later than this, so it cannot come after this segment.
      if (horizonBefore > atMs + LATENESS_MS_MAX) return null;
      horizonBefore = row.latest_ms;
      if (row.oldest_ms > atMs) continue;
      const segment = { ...row, body: body.get(row.position) as Buffer };
      const found = findInSegment(segment, workspace, decisionId, decoded.entriesOf(segment));
      if (found === null) continue;
      const { index, record, leaf } = found;
      const firstIndex = row.position - log.base;
      return { log: row.log, leafIndex: firstIndex + index, treeSize: firstIndex + row.count, record, leaf };
    }
    return null;
  }

  return (workspace: string, decisionId: string): LoggedRecord | null => {
    const atMs = decisionTimeMs(decisionId);
    if (atMs === null) return null;
    // One by one: a log that continues another after a clock was ahead begins at an earlier time.
    for (const log of logs.all() as LogRow[]) {
      const found = findIn(log, workspace, decisionId, atMs);
      if (found !== null) return found;
    }
    return null;
  };
}
