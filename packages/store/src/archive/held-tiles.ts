/** The tiles that the current work may read; a segment in another tile throws `NeedsTile`. */
import { TILE_WIDTH } from '@writecheck/ledger/log';
import { layOut, type StoredEntry } from '../log/segment-layout.ts';
import { StoreUnavailable } from '../port/failure.ts';
import { sha256 } from '../sha256.ts';
import { ARCHIVE_FAILED, archiveFailure } from './archive-failure.ts';
import { isPruned, leftOf, readStub, type Stub } from './stub.ts';
import { type TileId, tileName, tileOf } from './tile-name.ts';

export type Tiles = ReadonlyMap<string, readonly StoredEntry[]>;

const NONE: Tiles = new Map();
let held = NONE;

/** Caught by `withArchive`, which fetches the tile and starts the work again. */
export class NeedsTile extends StoreUnavailable {
  readonly tile: TileId;

  constructor(tile: TileId) {
    super('archive', ARCHIVE_FAILED);
    this.tile = tile;
  }
}

/** A file is not the one that was archived. */
export class TileChanged extends StoreUnavailable {
  readonly tile: TileId;

  constructor(tile: TileId) {
    const what = `${tileName('entries', tile)} in the archive does not hold what was archived`;
    super('archive', ARCHIVE_FAILED, new Error(what));
    this.tile = tile;
  }
}

export function holding<T>(tiles: Tiles, work: () => T): T {
  const before = held;
  held = tiles;
  try {
    return work();
  } finally {
    held = before;
  }
}

/** INVARIANT: exactly what the database held when it was archived, less what was pruned since; otherwise it throws. */
export function archivedEntries(body: Buffer, count: number): readonly StoredEntry[] {
  const stub = stubIn(body, count);
  const tile = tileOf(stub.log, stub.firstIndex);
  const places = Array.from({ length: count }, (_, place) => place);
  const isEmpty = places.every((place) => isPruned(stub, place));
  const stored = isEmpty ? [] : held.get(tileName('entries', tile));
  if (stored === undefined) throw new NeedsTile(tile);
  const first = stub.firstIndex - tile.index * TILE_WIDTH;
  const entries = places.map((place) => leftOf(stub, place, stored[first + place]));
  if (!stub.digest.equals(sha256(layOut(entries)))) throw new TileChanged(tile);
  return entries;
}

function stubIn(body: Buffer, count: number): Stub {
  try {
    return readStub(body, count);
  } catch (thrown) {
    throw archiveFailure(thrown);
  }
}
