/** Recounts the counters of limits from the log while the service continues to draw. */
import { DAY_MS } from '@writecheck/contract';
import { useSegment } from '../log/segment.ts';
import type { RebuiltDraws } from '../port/limits.ts';
import type { LogReading, LogSpan } from '../port/log-reading.ts';
import { countDraws, type DrawCount } from './count-draws.ts';

/** The longest window with its last step, plus what a late decision may add. */
const WINDOW_MS_MAX = 33 * DAY_MS;
const SEGMENTS_AT_ONCE = 64;
/** Checks wait while the last entries are counted, so few of them are left for that. */
const LEFT_MAX = 1_000;
const ROUNDS_MAX = 5;

/** `replace` counts entries appended after the spans, and writes what differs, all in one transaction. */
export async function rebuildDraws(
  reading: LogReading,
  newestMs: number,
  replace: (count: DrawCount, seen: readonly LogSpan[], newestMs: number) => Promise<RebuiltDraws>,
): Promise<RebuiltDraws> {
  const count: DrawCount = new Map();
  const range = { fromMs: newestMs - WINDOW_MS_MAX, toMs: Number.MAX_SAFE_INTEGER };
  let seen: readonly LogSpan[] = [];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const spans = await reading.spans();
    let entries = 0;
    for (const span of spans) {
      const before = seen.find(({ start }) => start === span.start)?.end ?? span.start;
      entries += span.end - before;
      for (let next: number | null = before; next !== null; ) {
        const segments = await reading.segmentsFrom(next, span, range, SEGMENTS_AT_ONCE);
        for (const segment of segments)
          useSegment(segment, (stored) => {
            for (const entry of stored) countDraws(count, entry);
          });
        const last = segments.at(-1);
        next = last === undefined ? null : last.position + last.count;
      }
    }
    seen = spans;
    if (entries <= LEFT_MAX) break;
  }
  return replace(count, seen, newestMs);
}
