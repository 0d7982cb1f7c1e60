/** The stored hashes of the logs in PostgreSQL, read back as subtrees of any size. */
import { type Subtree, TILE_HEIGHT, TILE_WIDTH } from '@writecheck/ledger';
import { type LeafHashes, LogTiles, type Tile, tileOfLeaves } from '../log-tiles.ts';
import type { Query } from './connection.ts';
import { LEAVES_PER_LOG } from './schema.ts';

export function prepareSubtreeHashes(query: Query, numberOf: (log: string) => Promise<number | undefined>) {
  const readTile = async (number: number, { tileLevel, tileIndex }: Tile): Promise<Uint8Array> => {
    const first = tileIndex * TILE_WIDTH;
    if (tileLevel > 0) {
      const rows = await query<{ hash: Buffer }>(
        `SELECT hash FROM writecheck.node WHERE log = $1 AND level = $2 AND number >= $3 AND number < $4 ORDER BY number`,
        [number, tileLevel * TILE_HEIGHT, first, first + TILE_WIDTH],
      );
      return Buffer.concat(rows.map(({ hash }) => hash));
    }
    const base = number * LEAVES_PER_LOG;
    const begin = base + first;
    const rows = await query<LeafHashes>(
      `SELECT position, leaf_hashes FROM writecheck.segment WHERE position < $2 AND position >= coalesce(
         (SELECT position FROM writecheck.segment WHERE position BETWEEN $3 AND $1 ORDER BY position DESC LIMIT 1), $3)
       ORDER BY position`,
      [begin, begin + TILE_WIDTH, base],
    );
    return tileOfLeaves(rows, begin);
  };

  const remembered = new LogTiles();
  return async (
    log: string,
    subtrees: readonly Subtree[],
    isAnew = false,
  ): Promise<readonly Uint8Array[]> => {
    const number = await numberOf(log);
    if (number === undefined) throw new RangeError(`there is no log ${log}`);
    const { missing, fold } = (isAnew ? new LogTiles() : remembered).plan(log, subtrees);
    const fetched: Uint8Array[] = [];
    for (const tile of missing) fetched.push(await readTile(number, tile));
    return fold(fetched);
  };
}
