/** The stored hashes of the logs, read back as subtrees of any size. */
import {
  type HashReader,
  type Subtree,
  TILE_HEIGHT,
  TILE_WIDTH,
  type TileReader,
  tileHashReader,
} from '@writecheck/ledger';
import { HASH_BYTES, sha256 } from '../../sha256.ts';
import type { Db } from './open-database.ts';

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;
/** A whole tile has 8 KiB. */
const TILES_CACHED_MAX = 512;

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

  const readTile = (log: string, tileLevel: number, tileIndex: number): Uint8Array => {
    const first = tileIndex * TILE_WIDTH;
    if (tileLevel > 0) {
      return Buffer.concat(nodes.all(log, tileLevel * TILE_HEIGHT, first, first + TILE_WIDTH) as Buffer[]);
    }
    const begin = (baseOf.get(log) as number) + first;
    const rows = leaves.all({ log, begin, end: begin + TILE_WIDTH }) as {
      readonly position: number;
      readonly leaf_hashes: Buffer;
    }[];
    const hashes = rows.map(({ position, leaf_hashes }) =>
      position < begin ? leaf_hashes.subarray((begin - position) * HASH_BYTES) : leaf_hashes,
    );
    return Buffer.concat(hashes).subarray(0, TILE_BYTES);
  };

  // INVARIANT: a whole tile and a complete subtree never change, so both may be cached; a growing tile may not.
  const whole = new Map<string, Uint8Array>();
  let growing = new Map<string, Uint8Array>();
  const cachedTile =
    (log: string): TileReader =>
    (tileLevel, tileIndex) => {
      const name = `${log} ${tileLevel} ${tileIndex}`;
      const known = whole.get(name) ?? growing.get(name);
      if (known !== undefined) return known;
      const tile = readTile(log, tileLevel, tileIndex);
      if (whole.size >= TILES_CACHED_MAX) whole.clear();
      (tile.length === TILE_BYTES ? whole : growing).set(name, tile);
      return tile;
    };
  const readers = new Map<string, HashReader>();

  return (log: string, subtrees: readonly Subtree[]): readonly Uint8Array[] => {
    if (baseOf.get(log) === undefined) throw new RangeError(`there is no log ${log}`);
    growing = new Map();
    let read = readers.get(log);
    if (read === undefined) {
      read = tileHashReader(cachedTile(log), sha256);
      readers.set(log, read);
    }
    return subtrees.map(({ level, index }) => read(level, index));
  };
}
