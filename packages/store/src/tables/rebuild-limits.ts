/** Writes the counters of limits according to the log. */
import { drawsEndMs, drawsOfText, drawsText, NO_DRAWS, openDraws } from '@writecheck/contract';
import { windowOf } from '../commit/admit-limits.ts';
import { type CountedGroup, countDraws, type DrawCount, drawsOf } from '../index/count-draws.ts';
import { type StoredSegment, useSegment } from '../log/segment.ts';
import type { RebuiltDraws } from '../port/limits.ts';
import type { LogSpan } from '../port/log-reading.ts';
import { addPruned } from '../prune/pruned-draws.ts';
import { bytesOf, hexOf } from './limits.ts';
import { type Append, holdLogs, insertion, type Read, sql, type Write } from './operation.ts';

const SEGMENTS_AT_ONCE = 64;
const ROWS_AT_ONCE = 5_000;

interface DrawsRow {
  readonly place: Uint8Array;
  readonly draws: string;
  readonly pruned: string;
  readonly until_ms: number;
}

/** INVARIANT: holds every open log, so that counts and writes are from one moment. */
export function* replaceDraws(
  counted: DrawCount,
  seen: readonly LogSpan[],
  countedMs: number,
): Append<RebuiltDraws> {
  const newestMs = Math.max(countedMs, yield* holdLogs('all'));
  // INVARIANT: separate from `counted`, because the operation may run again.
  const since: DrawCount = new Map();
  for (const [from, to] of gapsBetween(seen)) yield* countSegments(since, from, to);
  const rows = yield* allRows();
  for (const row of rows) addPruned(since, hexOf(row.place), row.pruned);
  const known = new Map(rows.map((row) => [hexOf(row.place), row]));
  let groups = 0;
  let differed = 0;
  // INVARIANT: in order of place, as a commit and a prune take the rows, so that no two wait in a circle.
  for (const place of [...new Set([...counted.keys(), ...since.keys(), ...known.keys()])].sort()) {
    const group = together(counted.get(place), since.get(place));
    const draws = drawsOf(group, newestMs);
    if (draws.length > 0) groups += 1;
    const text = drawsText(draws);
    const row = known.get(place);
    const untilMs = group.per === null ? (row?.until_ms ?? 0) : drawsEndMs(windowOf(group.per), draws);
    if ((row === undefined ? '' : textOf(row, group, newestMs)) === text && isSwept(row, untilMs, newestMs))
      continue;
    differed += 1;
    yield* writeRow(place, group.texts, text, untilMs, row);
  }
  return { groups, differed };
}

/** The parts by which a log has grown, or begun, since the spans were read. */
function gapsBetween(spans: readonly LogSpan[]): readonly (readonly [from: number, to: number])[] {
  const sorted = spans.toSorted((a, b) => a.start - b.start);
  const ends = [0, ...sorted.map(({ end }) => end)];
  const starts = [...sorted.map(({ start }) => start), Number.MAX_SAFE_INTEGER];
  return ends.map((end, i) => [end, starts[i]!] as const).filter(([from, to]) => from < to);
}

function* countSegments(count: DrawCount, from: number, to: number): Read<void> {
  for (let next: number | null = from; next !== null; ) {
    const rows: readonly StoredSegment[] = yield* sql<StoredSegment>`SELECT position, count, body
      FROM writecheck.segment WHERE position >= ${next}::bigint AND position < ${to}::bigint
      ORDER BY position LIMIT ${SEGMENTS_AT_ONCE}`;
    for (const row of rows)
      useSegment(row, (entries) => {
        for (const entry of entries) countDraws(count, entry);
      });
    const last: StoredSegment | undefined = rows.at(-1);
    next = last === undefined ? null : last.position + last.count;
  }
}

function* allRows(): Read<readonly DrawsRow[]> {
  const all: DrawsRow[] = [];
  for (let after: Uint8Array = new Uint8Array(0); ; ) {
    const rows: readonly DrawsRow[] =
      yield* sql<DrawsRow>`SELECT place, draws, pruned, until_ms FROM writecheck.limit_draws
      WHERE place > ${after} ORDER BY place LIMIT ${ROWS_AT_ONCE}`;
    all.push(...rows);
    if (rows.length < ROWS_AT_ONCE) return all;
    after = rows.at(-1)!.place;
  }
}

function together(one: CountedGroup | undefined, other: CountedGroup | undefined): CountedGroup {
  const steps = new Map(one?.steps);
  for (const [step, amount] of other?.steps ?? []) steps.set(step, (steps.get(step) ?? 0n) + amount);
  return { texts: one?.texts ?? other?.texts ?? null, per: one?.per ?? other?.per ?? null, steps };
}

/** The draws of a row, without those that are over. */
function textOf(row: DrawsRow, { per }: CountedGroup, newestMs: number): string {
  const draws = readable(row.draws);
  if (per !== null) return drawsText(openDraws(windowOf(per), draws, newestMs));
  // A window that no log entry names is over once its row is.
  return row.until_ms <= newestMs ? '' : row.draws;
}

/** Whether a row is swept exactly when its window ends. */
function isSwept(row: DrawsRow | undefined, untilMs: number, newestMs: number): boolean {
  if (row === undefined || row.draws === '') return true;
  return row.until_ms === untilMs || (untilMs <= newestMs && row.until_ms <= newestMs);
}

/** An unreadable text counts as no draws, so the row is rewritten. */
function readable(text: string) {
  try {
    return drawsOfText(text);
  } catch {
    return NO_DRAWS;
  }
}

function* writeRow(
  place: string,
  texts: string | null,
  draws: string,
  untilMs: number,
  row: DrawsRow | undefined,
): Write<void> {
  const bytes = bytesOf(place);
  if (row === undefined) {
    const fresh = { place: bytes, texts: texts ?? '[]', draws, until_ms: untilMs, pruned: '' };
    yield* sql`INSERT INTO writecheck.limit_draws ${insertion(fresh)}`;
  } else if (draws === '' && row.pruned === '') {
    yield* sql`DELETE FROM writecheck.limit_draws WHERE place = ${bytes}`;
  } else {
    yield* sql`UPDATE writecheck.limit_draws SET draws = ${draws}, until_ms = ${untilMs} WHERE place = ${bytes}`;
  }
}
