/** The stored hashes of the logs in SQLite, read back as subtrees of any size. */
import { type Subtree, TILE_HEIGHT, TILE_WIDTH } from '@writecheck/ledger';
import { type LeafHashes, LogTiles, type Tile, tileOfLeaves } from '../log-tiles.ts';
import type { Db } from './open-database.ts';

export function prepareSubtreeReader(db: Db) {
  const baseOf = db.prepare('SELECT base FROM log WHERE log = ?').pluck();
  const leaves = db.prepare(
    `SELECT position, leaf_hashes FROM segment WHERE log = @log AND position < @end AND position >=
       coalesce((SELECT max(position) FROM segment WHERE position <= @begin), 0) ORDER BY position`,
  );
  const nodes = db
    .prepare(
      'SELECT hash FROM node WHERE log = ? AND level = ? AND number >= ? AND number < ? ORDER BY number',
    )
    .pluck();

  const readTile = (log: string, base: number, { tileLevel, tileIndex }: Tile): Uint8Array => {
    const first = tileIndex * TILE_WIDTH;
    if (tileLevel > 0) {
      return Buffer.concat(nodes.all(log, tileLevel * TILE_HEIGHT, first, first + TILE_WIDTH) as Buffer[]);
    }
    const begin = base + first;
    return tileOfLeaves(leaves.all({ log, begin, end: begin + TILE_WIDTH }) as LeafHashes[], begin);
  };

  const remembered = new LogTiles();
  return (log: string, subtrees: readonly Subtree[], isAnew = false): readonly Uint8Array[] => {
    const base = baseOf.get(log) as number | undefined;
    if (base === undefined) throw new RangeError(`there is no log ${log}`);
    const { missing, fold } = (isAnew ? new LogTiles() : remembered).plan(log, subtrees);
    return fold(missing.map((tile) => readTile(log, base, tile)));
  };
}
