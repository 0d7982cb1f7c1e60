/** Moves old entries of the log into the archive, a few tiles at a time. */
import { TILE_WIDTH } from '@writecheck/ledger/log';
import { decodeSegment, encodeSegment } from '../log/segment.ts';
import type { StoredEntry } from '../log/segment-layout.ts';
import { StoreUnavailable } from '../port/failure.ts';
import type { Progress } from '../port/log.ts';
import { HASH_BYTES } from '../sha256.ts';
import type { Archive } from './archive.ts';
import { archiveFailure } from './archive-failure.ts';
import { type LogRows, type StoredRow, seenRow } from './log-rows.ts';
import { isArchived, stubOf } from './stub.ts';
import { tileName } from './tile-name.ts';

/** Limits what is in memory, and in one transaction, at a time. */
const TILES_AT_ONCE = 8;
const ROWS_AT_ONCE = 256;
/** A start reads the newest entries that are signed, and must not need the archive. */
const TILES_LEFT = 2;
/** Tries again because a prune that runs at the same time changes old rows; nothing else does. */
const TRIES = 5;

/** Rejects with `StoreUnavailable`. */
export async function archiveLogs(
  rows: LogRows,
  archive: Archive,
  beforeMs: number,
  progress?: Progress,
): Promise<number> {
  const parts: { readonly log: string; readonly from: number; readonly to: number }[] = [];
  for (const { log } of await rows.logs()) {
    // The store that it came from may archive it under the same name, with entries of other workspaces.
    parts.push({ log, ...(await tilesToArchive(rows, log)) });
  }
  const total = parts.reduce((sum, { from, to }) => sum + Math.max(0, to - from) * TILE_WIDTH, 0);
  let moved = 0;
  for (const { log, from, to } of parts) {
    for (let tile = from; tile < to; ) {
      const tiles = await archiveSome(
        { rows, archive, log, beforeMs },
        tile,
        Math.min(to, tile + TILES_AT_ONCE),
      );
      if (tiles === 0) break;
      tile += tiles;
      moved += tiles * TILE_WIDTH;
      progress?.(moved, total);
    }
  }
  return moved;
}

/**
 * Lists tiles from the first that is not archived. INVARIANT: tiles are archived in order, but the first tile of a log
 * never is: its first entry says what the log continues.
 */
export async function tilesToArchive(
  rows: Pick<LogRows, 'newestCheckpoint' | 'storedRows'>,
  log: string,
): Promise<{ readonly from: number; readonly to: number }> {
  const signed = (await rows.newestCheckpoint(log))?.size ?? 0;
  const to = Math.floor(signed / TILE_WIDTH) - TILES_LEFT;
  let low = 1;
  let high = to;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await rows.storedRows(log, middle * TILE_WIDTH, 1);
    if (row !== undefined && isArchived(row.body)) low = middle + 1;
    else high = middle;
  }
  return { from: low, to };
}

interface Archiving {
  readonly rows: LogRows;
  readonly archive: Archive;
  readonly log: string;
  readonly beforeMs: number;
}

/** How many tiles it moved; 0 if the first one is not old enough. */
async function archiveSome(archiving: Archiving, from: number, to: number): Promise<number> {
  const { rows, archive, log, beforeMs } = archiving;
  for (let i = 0; i < TRIES; i += 1) {
    const found = await rowsOf(rows, log, from * TILE_WIDTH, to * TILE_WIDTH);
    const young = found.find(({ latestMs }) => latestMs >= beforeMs);
    const end = young === undefined ? to : Math.min(to, Math.floor(young.firstIndex / TILE_WIDTH));
    if (end <= from) return 0;
    const old = found.filter(({ firstIndex }) => firstIndex < end * TILE_WIDTH);
    const pieces = old.flatMap((row) => cut(log, row, from * TILE_WIDTH, end * TILE_WIDTH));
    const inside = pieces.filter(({ isInside }) => isInside);
    const entries = inside.flatMap((piece) => piece.entries);
    const hashes = Buffer.concat(inside.map(({ row }) => row.leafHashes));
    for (let tile = from; tile < end; tile += 1) {
      const at = (tile - from) * TILE_WIDTH;
      const body = encodeSegment(entries.slice(at, at + TILE_WIDTH));
      await writeChecked(archive, tileName('entries', { log, index: tile }), body);
      const leaves = hashes.subarray(at * HASH_BYTES, (at + TILE_WIDTH) * HASH_BYTES);
      await writeChecked(archive, tileName('0', { log, index: tile }), leaves);
    }
    // INVARIANT: the database drops entries only after reading them back from the archive.
    if (
      await rows.recut(
        log,
        old.map(seenRow),
        pieces.map(({ row }) => row),
      )
    )
      return end - from;
  }
  throw new StoreUnavailable(
    'busy',
    'another command changes the same part of the log; try again when it has ended',
  );
}

/** Whole rows that cover the range. */
async function rowsOf(rows: LogRows, log: string, from: number, to: number): Promise<readonly StoredRow[]> {
  const found: StoredRow[] = [];
  for (let at = from; at < to; ) {
    const some = await rows.storedRows(log, at, ROWS_AT_ONCE);
    if (some.length === 0) throw new StoreUnavailable('corrupt', `entry ${at} of log \`${log}\` is missing`);
    for (const row of some) if (row.firstIndex < to) found.push(row);
    const last = some.at(-1)!;
    at = last.firstIndex + last.count;
  }
  return found;
}

interface Piece {
  readonly row: StoredRow;
  readonly entries: readonly StoredEntry[];
  readonly isInside: boolean;
}

/** Cuts a row at the edges of tiles. Pieces inside the range keep only a stub. */
function cut(log: string, row: StoredRow, from: number, to: number): readonly Piece[] {
  const { firstIndex, count, leafHashes } = row;
  const entries = decodeSegment({ position: firstIndex, count, body: row.body });
  const pieces: Piece[] = [];
  for (let at = firstIndex; at < firstIndex + count; ) {
    const end = Math.min(firstIndex + count, (Math.floor(at / TILE_WIDTH) + 1) * TILE_WIDTH);
    const part = entries.slice(at - firstIndex, end - firstIndex);
    const hashes = leafHashes.subarray((at - firstIndex) * HASH_BYTES, (end - firstIndex) * HASH_BYTES);
    const isInside = at >= from && at < to;
    const body = isInside ? stubOf({ log, firstIndex: at }, part) : encodeSegment(part);
    const piece = { ...row, firstIndex: at, count: end - at, leafHashes: hashes, body };
    pieces.push({ row: piece, entries: part, isInside });
    at = end;
  }
  return pieces;
}

async function writeChecked(archive: Archive, name: string, bytes: Buffer): Promise<void> {
  try {
    await archive.files.write(name, bytes);
    const found = await archive.files.read(name);
    if (found === null || !found.equals(bytes)) throw new Error(`${name} was not stored as it was written`);
  } catch (thrown) {
    throw archiveFailure(thrown);
  }
}
