/** The logs and their segments: read in order, and cut again without changing a hash. */
import { given } from '@writecheck/contract';
import { type Subtree, TILE_HEIGHT, TILE_WIDTH } from '@writecheck/ledger/log';
import { beginOf, type LogPosition } from '../log/log-positions.ts';
import { type LeafHashes, LogTiles, type Tile, tileOfLeaves } from '../log/log-tiles.ts';
import { NOTABLE_STEP, notableIn } from '../log/notable-entries.ts';
import { decodeSegment, type StoredSegment, useSegment } from '../log/segment.ts';
import type { LogHead, Segment } from '../port/log.ts';
import type { NotableEntries, NotableEntry } from '../port/webhooks.ts';
import { type Part, part, type Read, sql } from './operation.ts';

export interface LogRow extends LogPosition {
  readonly log: string;
  readonly size: number;
  readonly frontier: Buffer;
  readonly newest_ms: number;
  /** SQLite has no such column: only its newest log is open. */
  readonly is_open?: boolean;
}

export function* logs(): Read<readonly LogHead[]> {
  const rows = yield* sql<LogRow>`SELECT * FROM writecheck.log ORDER BY log`;
  return rows
    .toSorted((a, b) => beginOf(a) - beginOf(b))
    .map(({ log, size, frontier, newest_ms: newestAtMs, is_open: isOpen }) => ({
      log,
      size,
      frontier,
      newestAtMs,
      ...given({ isOpen }),
    }));
}

/** The newest time of any committed record, over all open logs; 0 before the first. */
export function* newestAtMs(): Read<number> {
  const all = yield* logs();
  const open = all.filter(({ isOpen }, i) => isOpen ?? i === all.length - 1);
  return Math.max(0, ...open.map((log) => log.newestAtMs));
}

function* logNamed(log: string): Read<LogRow | undefined> {
  return (yield* sql<LogRow>`SELECT * FROM writecheck.log WHERE log = ${log}`)[0];
}

/** Segments that hold positions from this one up to `end`, of a log that begins at `begin`. */
function within(begin: number, from: number, end: number): Part {
  return part`FROM writecheck.segment WHERE position < ${end}::bigint AND position + count > ${from}::bigint
    AND position >= coalesce((SELECT position FROM writecheck.segment
      WHERE position BETWEEN ${begin}::bigint AND ${from}::bigint ORDER BY position DESC LIMIT 1), ${begin}::bigint)
    ORDER BY position`;
}

/** Up to `limit` segments of a log in order, starting with the one that holds leaf `fromIndex`. */
export function* segments(log: string, fromIndex: number, limit: number): Read<readonly Segment[]> {
  const held = yield* logNamed(log);
  if (held === undefined) return [];
  const begin = beginOf(held);
  const rows = yield* sql<StoredSegment & { readonly leafHashes: Buffer }>`SELECT position, count,
    leaf_hashes AS "leafHashes", body ${within(begin, begin + fromIndex, begin + held.size)} LIMIT ${limit}`;
  return rows.map(({ leafHashes, ...segment }) => ({
    log,
    firstIndex: segment.position - begin,
    entries: decodeSegment(segment),
    leafHashes,
  }));
}

/** Decompresses and parses entries, so this is for a thread that no check waits for. */
export function* notableEntries(
  log: string,
  from: number,
  workspaces: readonly string[],
): Read<NotableEntries> {
  const held = yield* logNamed(log);
  if (held === undefined) return { entries: [], next: from };
  const begin = beginOf(held);
  const end = begin + Math.min(held.size, from + NOTABLE_STEP);
  const rows = yield* sql<StoredSegment>`SELECT position, count, body ${within(begin, begin + from, end)}`;
  const wanted = new Set(workspaces);
  const entries: NotableEntry[] = [];
  let next = from;
  for (const segment of rows) {
    const firstIndex = segment.position - begin;
    useSegment(segment, (stored) => {
      entries.push(...notableIn(firstIndex, stored, from, wanted));
    });
    next = firstIndex + segment.count;
  }
  return { entries, next };
}

/** Roots of complete subtrees of any size, from the stored hashes; `tiles` caches the ones read before. */
export function* subtreeHashes(
  log: string,
  subtrees: readonly Subtree[],
  tiles = new LogTiles(),
): Read<readonly Uint8Array[]> {
  const held = yield* logNamed(log);
  if (held === undefined) throw new RangeError(`there is no log ${log}`);
  const { missing, fold } = tiles.plan(log, subtrees);
  const fetched: Uint8Array[] = [];
  for (const tile of missing) fetched.push(yield* tileIn(held, tile));
  return fold(fetched);
}

function* tileIn(held: LogRow, { tileLevel, tileIndex }: Tile): Read<Uint8Array> {
  const first = tileIndex * TILE_WIDTH;
  if (tileLevel > 0) {
    // PostgreSQL's nodes have the number of their log, SQLite's its name.
    const rows = yield* sql<{ readonly hash: Buffer }>`SELECT hash FROM writecheck.node
      WHERE log = ${held.number ?? held.log} AND level = ${tileLevel * TILE_HEIGHT}
        AND number >= ${first} AND number < ${first + TILE_WIDTH} ORDER BY number`;
    return Buffer.concat(rows.map(({ hash }) => hash));
  }
  const begin = beginOf(held);
  const from = begin + first;
  const rows = yield* sql<LeafHashes>`SELECT position, leaf_hashes
    ${within(begin, from, Math.min(from + TILE_WIDTH, begin + held.size))}`;
  return tileOfLeaves(rows, from);
}
