/** Folds a log's stored hashes into subtrees of any size, from tiles that either store fetches. */
import {
  type HashReader,
  type Subtree,
  TILE_HEIGHT,
  TILE_WIDTH,
  tileHashReader,
} from '@writecheck/ledger/log';
import { HASH_BYTES, sha256 } from '../sha256.ts';

export interface Tile {
  readonly tileLevel: number;
  readonly tileIndex: number;
}

/** A segment's leaf hashes, one after another. */
export interface LeafHashes {
  readonly position: number;
  readonly leaf_hashes: Buffer;
}

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;
/** A whole tile has 8 KiB. */
const TILES_CACHED_MAX = 512;

interface TilePlan {
  /** The tiles to fetch. */
  readonly missing: readonly Tile[];
  /** `fetched` has the hashes of each missing tile, in the same order. */
  fold(fetched: readonly Uint8Array[]): readonly Uint8Array[];
}

export class LogTiles {
  // INVARIANT: a whole tile and a complete subtree never change, so both may be cached; a growing tile may not.
  readonly #whole = new Map<string, Uint8Array>();
  readonly #readers = new Map<string, HashReader>();
  /** Those of the subtrees that are being folded now. */
  #tiles = new Map<string, Uint8Array>();

  plan(log: string, subtrees: readonly Subtree[]): TilePlan {
    const known = new Map<string, Uint8Array>();
    const wanted = new Map<string, Tile>();
    for (const tile of subtrees.map(tileOf)) {
      const name = nameOf(log, tile);
      const cached = this.#whole.get(name);
      if (cached === undefined) wanted.set(name, tile);
      else known.set(name, cached);
    }
    return {
      missing: [...wanted.values()],
      fold: (fetched) => {
        const names = [...wanted.keys()];
        for (const [i, tile] of fetched.entries()) known.set(names[i]!, tile);
        this.#tiles = known;
        const read = this.#readerOf(log);
        const hashes = subtrees.map(({ level, index }) => read(level, index));
        for (const [name, tile] of known) this.#cache(name, tile);
        return hashes;
      },
    };
  }

  #readerOf(log: string): HashReader {
    let reader = this.#readers.get(log);
    if (reader === undefined) {
      reader = tileHashReader((tileLevel, tileIndex) => {
        return this.#tiles.get(nameOf(log, { tileLevel, tileIndex }))!;
      }, sha256);
      this.#readers.set(log, reader);
    }
    return reader;
  }

  #cache(name: string, tile: Uint8Array): void {
    if (tile.length < TILE_BYTES) return;
    if (this.#whole.size >= TILES_CACHED_MAX) this.#whole.clear();
    this.#whole.set(name, tile);
  }
}

function nameOf(log: string, { tileLevel, tileIndex }: Tile): string {
  return `${log} ${tileLevel} ${tileIndex}`;
}

/** The one tile that a subtree is folded from. */
function tileOf({ level, index }: Subtree): Tile {
  return {
    tileLevel: Math.floor(level / TILE_HEIGHT),
    tileIndex: Math.floor((index * 2 ** (level % TILE_HEIGHT)) / TILE_WIDTH),
  };
}

/** A tile of leaves that begins at `begin`. The first segment may begin before it, and the last may end after it. */
export function tileOfLeaves(segments: readonly LeafHashes[], begin: number): Uint8Array {
  const hashes = segments.map(({ position, leaf_hashes }) =>
    position < begin ? leaf_hashes.subarray((begin - position) * HASH_BYTES) : leaf_hashes,
  );
  return Buffer.concat(hashes).subarray(0, TILE_BYTES);
}
