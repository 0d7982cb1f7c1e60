/** The entries of a log that were recorded at a moment, found by the times of its segments. */
import { isoTime } from '@writecheck/contract';
import { LATENESS_MS_MAX } from '../commit/lateness.ts';
import { isDecisionLeaf, isOfWorkspace } from '../log/leaf-shape.ts';
import { beginOf, type LogPosition } from '../log/log-positions.ts';
import { type StoredSegment, useSegment } from '../log/segment.ts';
import type { LoggedEntry } from '../port/log.ts';
import { type Read, sql } from './operation.ts';

/**
 * Reads one workspace's entries, without its decisions. It decompresses them, so run it on a thread that no check
 * waits for.
 */
export function* entriesAt(workspace: string, atMs: number): Read<readonly LoggedEntry[]> {
  const logs = yield* sql<LogPosition & { readonly log: string; readonly size: number }>`SELECT *
    FROM writecheck.log WHERE size > 0 ORDER BY log`;
  const found: LoggedEntry[] = [];
  const isOwn = isOfWorkspace(workspace);
  const moment = Buffer.from(`"timestamp":"${isoTime(atMs)}"`);
  for (const held of logs) {
    const { log } = held;
    const begin = beginOf(held);
    const [from, to] = yield* mayHold(held, atMs);
    const segments = yield* sql<Pick<StoredSegment, 'position'>>`SELECT position
      FROM writecheck.segment WHERE position BETWEEN ${from}::bigint AND ${to}::bigint
        AND oldest_ms <= ${atMs} AND latest_ms >= ${atMs} ORDER BY position`;
    // One at a time: after the clock was set back, thousands of segments may qualify.
    for (const { position } of segments) {
      const [segment] = yield* sql<StoredSegment>`SELECT position, count, body FROM writecheck.segment
        WHERE position = ${position}`;
      useSegment(segment!, (entries) => {
        for (const [i, { leaf }] of entries.entries()) {
          if (!isOwn(leaf) || isDecisionLeaf(leaf) || !leaf.includes(moment)) continue;
          const leafIndex = position - begin + i;
          const treeSize = position - begin + segment!.count;
          found.push({ log, leafIndex, treeSize, leaf: Buffer.from(leaf) });
        }
      });
    }
  }
  return found;
}

/** Positions of the first and last segment that may hold an entry of that time. */
function* mayHold(held: LogPosition & { readonly size: number }, atMs: number): Read<[number, number]> {
  const begin = beginOf(held);
  const end = begin + held.size;
  // PostgreSQL has an index by time, and the times of its segments may fall by at most the allowed lateness.
  if (held.base === undefined) return [begin, end - 1];
  const from = yield* firstReaching(atMs, begin, end);
  return [from, Math.min(end - 1, yield* firstReaching(atMs + LATENESS_MS_MAX, begin, end))];
}

/** SQLite: the newest time of a segment never falls. The position of the first segment with an entry of that time or later, or the end. */
function* firstReaching(atMs: number, begin: number, end: number): Read<number> {
  let [low, high] = [begin, end];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = yield* sql<{
      readonly position: number;
      readonly count: number;
      readonly latest_ms: number;
    }>`SELECT position, count, latest_ms FROM writecheck.segment
      WHERE position BETWEEN ${begin}::bigint AND ${middle}::bigint ORDER BY position DESC LIMIT 1`;
    if (row === undefined) low = middle + 1;
    else if (row.latest_ms >= atMs) high = row.position;
    else low = Math.max(middle + 1, row.position + row.count);
  }
  return low;
}
