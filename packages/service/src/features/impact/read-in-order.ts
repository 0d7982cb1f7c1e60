/** Reads what a log held at one moment, in order of time over all its writers, a few segments at a time. */
import { LATENESS_MS_MAX } from '@writecheck/store/commit/lateness';
import type { LogReading, LogSpan, TimedSegment, TimeRange } from '@writecheck/store/port/log-reading';

/** Few enough that a short read stays short, whatever a segment holds. */
const SEGMENTS_AT_ONCE = 8;

interface Cursor {
  readonly span: LogSpan;
  waiting: readonly TimedSegment[];
  /** Where to continue reading; null at the end. */
  next: number | null;
}

/** Records of different writers come within `LATENESS_MS_MAX` of their order. */
export async function* readInOrder(
  reading: LogReading,
  spans: readonly LogSpan[],
  range: TimeRange,
): AsyncGenerator<TimedSegment> {
  const cursors: Cursor[] = [];
  for (const span of spans)
    cursors.push({ span, waiting: [], next: await firstReaching(reading, span, range.fromMs) });
  for (;;) {
    for (const cursor of cursors) await fill(reading, cursor, range);
    let first: Cursor | null = null;
    for (const cursor of cursors) {
      if (cursor.waiting.length === 0) continue;
      if (first === null || cursor.waiting[0]!.latestMs < first.waiting[0]!.latestMs) first = cursor;
    }
    if (first === null) return;
    const [segment, ...rest] = first.waiting;
    first.waiting = rest;
    yield segment!;
  }
}

async function fill(reading: LogReading, cursor: Cursor, range: TimeRange): Promise<void> {
  if (cursor.waiting.length > 0 || cursor.next === null) return;
  cursor.waiting = await reading.segmentsFrom(cursor.next, cursor.span, range, SEGMENTS_AT_ONCE);
  const last = cursor.waiting.at(-1);
  cursor.next = last === undefined ? null : last.position + last.count;
}

/**
 * A position before which every entry is older than `fromMs`. INVARIANT: a commit refuses an entry later than
 * `LATENESS_MS_MAX`, so every entry before a segment older than that is also older than `fromMs`.
 */
async function firstReaching(reading: LogReading, span: LogSpan, fromMs: number): Promise<number> {
  let low = span.start;
  let high = span.end;
  while (low < high) {
    const found = await reading.segmentAt(Math.floor((low + high) / 2), span);
    if (found === null) break;
    if (found.latestMs < fromMs - LATENESS_MS_MAX) low = found.position + found.count;
    else if (found.position < high) high = found.position;
    else break;
  }
  return low;
}
