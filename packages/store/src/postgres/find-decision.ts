/** Finds a decision by its id in the logs themselves: the id contains the time, and a segment states the range of its own. */
import { decisionTimeMs } from '../log/decision-time.ts';
import { DecodedSegments } from '../log/decoded-segments.ts';
import { LEAVES_BITS, LEAVES_PER_LOG } from '../log/log-positions.ts';
import { findInSegment } from '../log/segment.ts';
import type { LoggedRecord } from '../port.ts';
import type { Query } from './connection.ts';
import { SPAN_USUAL_MS } from './schema-tables.ts';

export function prepareFindDecision(query: Query) {
  const decoded = new DecodedSegments();
  return async (workspace: string, decisionId: string): Promise<LoggedRecord | null> => {
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
      const found = findInSegment(segment, workspace, decisionId, decoded.entriesOf(segment));
      if (found === null) continue;
      const { index, record, leaf } = found;
      const firstIndex = position - Math.floor(position / LEAVES_PER_LOG) * LEAVES_PER_LOG;
      return { log, leafIndex: firstIndex + index, treeSize: firstIndex + count, record, leaf };
    }
    return null;
  };
}
