/** The stored hashes of the logs, read back as subtrees of any size: tiles are fetched first, then folded. */
import { type Subtree, TILE_HEIGHT, TILE_WIDTH, tileHashReader } from '@writecheck/ledger';
import { HASH_BYTES, sha256 } from '../../sha256.ts';
import type { Query } from './connection.ts';
import { LEAVES_PER_LOG } from './schema.ts';

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;
/** A whole tile has 8 KiB. */
const TILES_CACHED_MAX = 512;

/** The tile that a subtree is folded from. */
function tileOf({ level, index }: Subtree): { readonly tileLevel: number; readonly tileIndex: number } {
  return {
    tileLevel: Math.floor(level / TILE_HEIGHT),
    tileIndex: Math.floor((index * 2 ** (level % TILE_HEIGHT)) / TILE_WIDTH),
  };
}

export function prepareSubtreeHashes(query: Query, numberOf: (log: string) => Promise<number | undefined>) {
  const readTile = async (number: number, tileLevel: number, tileIndex: number): Promise<Uint8Array> => {
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
    const rows = await query<{ position: number; leaf_hashes: Buffer }>(
      `SELECT position, leaf_hashes FROM writecheck.segment WHERE position < $2 AND position >= coalesce(
         (SELECT position FROM writecheck.segment WHERE position BETWEEN $3 AND $1 ORDER BY position DESC LIMIT 1), $3)
       ORDER BY position`,
      [begin, begin + TILE_WIDTH, base],
    );
    const hashes = rows.map(({ position, leaf_hashes }) =>
      position < begin ? leaf_hashes.subarray((begin - position) * HASH_BYTES) : leaf_hashes,
    );
    return Buffer.concat(hashes).subarray(0, TILE_BYTES);
  };

  // INVARIANT: a whole tile never changes, so it may be remembered; a growing one may not.
  const whole = new Map<string, Uint8Array>();
  return async (log: string, subtrees: readonly Subtree[]): Promise<readonly Uint8Array[]> => {
    const number = await numberOf(log);
    if (number === undefined) throw new RangeError(`there is no log ${log}`);
    const tiles = new Map<string, Uint8Array>();
    for (const { tileLevel, tileIndex } of subtrees.map(tileOf)) {
      const name = `${number} ${tileLevel} ${tileIndex}`;
      if (tiles.has(name)) continue;
      const tile = whole.get(name) ?? (await readTile(number, tileLevel, tileIndex));
      tiles.set(name, tile);
      if (whole.size >= TILES_CACHED_MAX) whole.clear();
      if (tile.length === TILE_BYTES) whole.set(name, tile);
    }
    const read = tileHashReader(
      (tileLevel, tileIndex) => tiles.get(`${number} ${tileLevel} ${tileIndex}`)!,
      sha256,
    );
    return subtrees.map(({ level, index }) => read(level, index));
  };
}
