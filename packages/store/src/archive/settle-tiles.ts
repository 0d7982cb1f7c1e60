/** Removes from the archive's files, after a prune, what the database has emptied. */
import { TILE_WIDTH } from '@writecheck/ledger/log';
import { encodeSegment } from '../log/segment.ts';
import type { StoredEntry } from '../log/segment-layout.ts';
import type { Archive } from './archive.ts';
import { archiveFailure } from './archive-failure.ts';
import { type LogRows, type StoredRow, seenRow } from './log-rows.ts';
import { isArchived, isPruned, leftOf, readStub, settledStub } from './stub.ts';
import { type TileId, tileName, tileOf } from './tile-name.ts';

/** The tile of a row whose file may hold more than it should. */
export function tileToSettle({ body, count }: Pick<StoredRow, 'body' | 'count'>): TileId | null {
  if (!isArchived(body)) return null;
  const { log, firstIndex, fileHoldsMore } = readStub(body, count);
  return fileHoldsMore ? tileOf(log, firstIndex) : null;
}

/** Repeatable: the rows say what is left to do until it is done. */
export async function settleTiles(rows: LogRows, archive: Archive, tiles: readonly TileId[]): Promise<void> {
  const unique = new Map(tiles.map((tile) => [tileName('entries', tile), tile]));
  for (const [name, tile] of unique) {
    for (let before = await rowsOf(rows, tile); ; ) {
      const entries = [...(await archive.readTile(tile))];
      for (const row of before) empty(entries, row, tile);
      try {
        await archive.files.write(name, encodeSegment(entries));
      } catch (thrown) {
        throw archiveFailure(thrown);
      }
      archive.forget(tile);
      const after = await rowsOf(rows, tile);
      // Another prune may have emptied more and written the file just before this one did.
      const isSame =
        after.length === before.length && after.every(({ body }, i) => body.equals(before[i]!.body));
      before = after;
      if (!isSame) continue;
      const stale = before.filter((row) => tileToSettle(row) !== null);
      for (const row of stale) {
        await rows.recut(tile.log, [seenRow(row)], [{ ...row, body: settledStub(row.body) }]);
      }
      break;
    }
  }
}

async function rowsOf(rows: LogRows, { log, index }: TileId): Promise<readonly StoredRow[]> {
  const first = index * TILE_WIDTH;
  const found = await rows.storedRows(log, first, TILE_WIDTH);
  return found.filter(({ firstIndex, body }) => firstIndex < first + TILE_WIDTH && isArchived(body));
}

function empty(entries: StoredEntry[], { firstIndex, count, body }: StoredRow, tile: TileId): void {
  const stub = readStub(body, count);
  const at = firstIndex - tile.index * TILE_WIDTH;
  for (let place = 0; place < count; place += 1) {
    const entry = entries[at + place];
    // INVARIANT: an entry that a damaged file lacks does not count as pruned.
    if (entry !== undefined || isPruned(stub, place)) entries[at + place] = leftOf(stub, place, entry);
  }
}
