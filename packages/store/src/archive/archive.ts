/** Reads what was archived. Every use of it is compared with the digest that the database keeps. */
import { TILE_WIDTH } from '@writecheck/ledger/log';
import { decodeSegment } from '../log/segment.ts';
import type { StoredEntry } from '../log/segment-layout.ts';
import type { ArchivePlace } from '../port/archive.ts';
import { archiveFailure } from './archive-failure.ts';
import { type ArchiveFiles, folderFiles } from './archive-files.ts';
import { bucketFiles } from './bucket-files.ts';
import { holding, NeedsTile, TileChanged, type Tiles } from './held-tiles.ts';
import { type TileId, tileName } from './tile-name.ts';

/** A tile of usual records has about a megabyte. */
const TILES_KEPT_MAX = 12;
/** A reader that moves from one tile to the next gets these in advance, because a bucket is slow. */
const TILES_AHEAD = 4;

export class Archive {
  readonly #place: ArchivePlace | null;
  #files: ArchiveFiles | null = null;
  /** The most recently used comes last. */
  readonly #kept = new Map<string, Promise<readonly StoredEntry[]>>();

  /** Null if none is set; then only what the database itself holds can be read. */
  constructor(place: ArchivePlace | null) {
    this.#place = place;
  }

  /** Throws `StoreUnavailable` if none is set. */
  get files(): ArchiveFiles {
    if (this.#place === null) throw archiveFailure(new Error('WRITECHECK_ARCHIVE is not set'));
    this.#files ??=
      this.#place.kind === 'folder' ? folderFiles(this.#place.folder) : bucketFiles(this.#place);
    return this.#files;
  }

  tile(tile: TileId): Promise<readonly StoredEntry[]> {
    const isReadingOn = this.#kept.has(tileName('entries', { ...tile, index: tile.index - 1 }));
    const found = this.#keep(tile);
    // The last tile may have no successor yet.
    for (let i = 1; isReadingOn && i <= TILES_AHEAD; i += 1) {
      this.#keep({ ...tile, index: tile.index + i }).catch(() => undefined);
    }
    return found;
  }

  /** Reads what is stored now. Rejects with `StoreUnavailable`. */
  async readTile(tile: TileId): Promise<readonly StoredEntry[]> {
    const name = tileName('entries', tile);
    try {
      const body = await this.files.read(name);
      if (body === null) throw new Error('it is missing');
      return decodeSegment({ position: tile.index * TILE_WIDTH, count: TILE_WIDTH, body });
    } catch (thrown) {
      const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw archiveFailure(new Error(`${name} in the archive cannot be read: ${why}`));
    }
  }

  forget(tile: TileId): void {
    this.#kept.delete(tileName('entries', tile));
  }

  #keep(tile: TileId): Promise<readonly StoredEntry[]> {
    const name = tileName('entries', tile);
    const found = this.#kept.get(name) ?? this.readTile(tile);
    this.#kept.delete(name);
    this.#kept.set(name, found);
    found.catch(() => this.#kept.delete(name));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > TILES_KEPT_MAX) this.#kept.delete(oldest!);
    return found;
  }
}

/**
 * Does work that reads segments, and again with each archived tile that turns out to be needed. INVARIANT: `work` has
 * changed nothing when it throws.
 */
export function withArchive<T>(archive: Archive, work: () => T, tiles: Tiles = new Map()): T | Promise<T> {
  try {
    return holding(tiles, work);
  } catch (thrown) {
    if (thrown instanceof TileChanged) archive.forget(thrown.tile);
    if (!(thrown instanceof NeedsTile)) throw thrown;
    const { tile } = thrown;
    return archive
      .tile(tile)
      .then((entries) =>
        withArchive(archive, work, new Map([...tiles, [tileName('entries', tile), entries]])),
      );
  }
}
