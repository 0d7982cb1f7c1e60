/** The needs of a thread that reads the log at length, see `port/log-reading.ts`. */
import { beginOf, type LogPosition } from '../log/log-positions.ts';
import type { LogReading, LogSpan, TimedSegment, TimeRange } from '../port/log-reading.ts';
import { type Read, sql } from './operation.ts';

function* spans(): Read<readonly LogSpan[]> {
  const logs = yield* sql<
    LogPosition & { readonly size: number }
  >`SELECT * FROM writecheck.log WHERE size > 0`;
  return logs
    .map((log) => ({ start: beginOf(log), end: beginOf(log) + log.size }))
    .toSorted((a, b) => a.start - b.start);
}

function* segmentAt(position: number, { start }: LogSpan): Read<TimedSegment | null> {
  const [row] =
    yield* sql<TimedSegment>`SELECT position, count, latest_ms AS "latestMs" FROM writecheck.segment
    WHERE position BETWEEN ${start} AND ${position} ORDER BY position DESC LIMIT 1`;
  return row ?? null;
}

function* segmentsFrom(
  position: number,
  { end }: LogSpan,
  { fromMs, toMs }: TimeRange,
  limit: number,
): Read<readonly TimedSegment[]> {
  return yield* sql<TimedSegment>`SELECT position, count, oldest_ms AS "oldestMs", latest_ms AS "latestMs", body
    FROM writecheck.segment WHERE position >= ${position} AND position < ${end} AND oldest_ms < ${toMs}
      AND latest_ms >= ${fromMs} ORDER BY position LIMIT ${limit}`;
}

function* prunedDecisions(workspace: string, fromDay: string, toDay: string): Read<number> {
  const [row] = yield* sql<{
    readonly decisions: number;
  }>`SELECT coalesce(sum(decisions), 0)::bigint AS decisions
    FROM writecheck.pruned_day WHERE workspace = ${workspace} AND day BETWEEN ${fromDay} AND ${toDay}`;
  return row!.decisions;
}

function* documentsOf(workspace: string, digest: string): Read<string | null> {
  const [row] = yield* sql<{ readonly documents: string }>`SELECT documents FROM writecheck.policy
    WHERE workspace = ${workspace} AND digest = ${digest} ORDER BY revision DESC LIMIT 1`;
  return row?.documents ?? null;
}

function* firstKeys(workspace: string): Read<ReadonlyMap<string, string>> {
  const rows = yield* sql<{
    readonly id: string;
    readonly first: string;
  }>`SELECT id, coalesce(lineage, id) AS first
    FROM writecheck.api_key WHERE workspace = ${workspace}`;
  return new Map(rows.map(({ id, first }) => [id, first]));
}

export const LOG_READS = {
  spans,
  segmentAt,
  segmentsFrom,
  prunedDecisions,
  documentsOf,
  firstKeys,
} as const satisfies {
  readonly [Name in Exclude<keyof LogReading, 'close'>]: (
    ...args: Parameters<LogReading[Name]>
  ) => Read<Awaited<ReturnType<LogReading[Name]>>>;
};
