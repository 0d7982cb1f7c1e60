/** Reads subtree hashes from tiles (C2SP tlog-tiles): only every eighth level is stored, 256 hashes side by side. */
import { nodeHash } from './merkle-hash.ts';
import type { HashReader } from './proof.ts';
import { HASH_BYTES, type Sha256, sha256 } from './sha256.ts';

export const TILE_HEIGHT = 8;
export const TILE_WIDTH = 2 ** TILE_HEIGHT;

/** Where a stored hash is. Levels between the stored ones have no place of their own. */
export interface TilePlace {
  readonly tileLevel: number;
  readonly tileIndex: number;
  /** Counted in hashes from the start of the tile. */
  readonly offset: number;
}

/** Null for the levels between, which are computed from the one below. */
export function tilePlace(level: number, index: number): TilePlace | null {
  return level % TILE_HEIGHT === 0
    ? {
        tileLevel: level / TILE_HEIGHT,
        tileIndex: Math.floor(index / TILE_WIDTH),
        offset: index % TILE_WIDTH,
      }
    : null;
}

/** The hashes of a tile one after another, only durable ones: a rolled-back hash must never be among them. */
export type TileReader = (tileLevel: number, tileIndex: number) => Uint8Array;

const MEMO_MAX = 16_384;

/**
 * A reader for proofs over stored tiles. Inner hashes are computed once and cached up to a limit, so that a proof for
 * a recent leaf costs lookups instead of folding a whole tile.
 */
export function tileHashReader(readTile: TileReader, hash: Sha256 = sha256): HashReader {
  const memo = new Map<string, Uint8Array>();
  const read = (level: number, index: number): Uint8Array => {
    const place = tilePlace(level, index);
    if (place !== null) {
      const tile = readTile(place.tileLevel, place.tileIndex);
      const at = place.offset * HASH_BYTES;
      if (tile.length < at + HASH_BYTES) {
        throw new RangeError(`tile ${place.tileLevel}/${place.tileIndex} holds no hash ${place.offset}`);
      }
      return tile.slice(at, at + HASH_BYTES);
    }
    const key = `${level}/${index}`;
    const known = memo.get(key);
    if (known !== undefined) return known;
    // INVARIANT: a complete subtree never changes, so a cached hash stays right as the log grows.
    const computed = nodeHash(read(level - 1, index * 2), read(level - 1, index * 2 + 1), hash);
    if (memo.size >= MEMO_MAX) memo.clear();
    memo.set(key, computed);
    return computed;
  };
  return read;
}
