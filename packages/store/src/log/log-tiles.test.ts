import { TILE_WIDTH } from '@writecheck/ledger';
import { describe, expect, it } from 'vitest';
import { HASH_BYTES, sha256 } from '../sha256.ts';
import { LogTiles, type Tile, tileOfLeaves } from './log-tiles.ts';

const leaf = (index: number) => Buffer.from(sha256(new TextEncoder().encode(`leaf ${index}`)));
const hashes = (from: number, to: number) =>
  Buffer.concat(Array.from({ length: to - from }, (_, i) => leaf(from + i)));
const node = (left: Uint8Array, right: Uint8Array) => sha256(Buffer.concat([Buffer.of(1), left, right]));

function treeOf(size: number) {
  const tiles = new LogTiles();
  const fetched: Tile[] = [];
  const read = (level: number, index: number, log = 'log') => {
    const { missing, fold } = tiles.plan(log, [{ level, index }]);
    fetched.push(...missing);
    return fold(
      missing.map(({ tileIndex }) =>
        hashes(tileIndex * TILE_WIDTH, Math.min(size, (tileIndex + 1) * TILE_WIDTH)),
      ),
    )[0]!;
  };
  return { tiles, fetched, read };
}

describe('the tiles of a log', () => {
  it('give leaves and the subtrees between the stored levels', () => {
    const { read } = treeOf(600);
    expect(read(0, 300)).toEqual(Buffer.from(leaf(300)));
    expect(read(2, 1)).toEqual(node(node(leaf(4), leaf(5)), node(leaf(6), leaf(7))));
  });

  it('are fetched once if they are whole, and each time while they grow', () => {
    const { fetched, read } = treeOf(300);
    read(0, 3);
    read(3, 0);
    expect(fetched).toHaveLength(1);
    read(0, 256);
    read(0, 299);
    expect(fetched).toHaveLength(3);
  });

  it('of two logs are never mixed up', () => {
    const { fetched, read } = treeOf(300);
    read(0, 3, 'one');
    read(0, 3, 'two');
    expect(fetched).toHaveLength(2);
  });

  it('stay complete for a reader that waits while another fills the cache', () => {
    const { tiles, read } = treeOf(300);
    read(0, 3);
    const waiting = tiles.plan('log', [{ level: 0, index: 3 }]);
    expect(waiting.missing).toEqual([]);
    // More than the cache holds, so that it drops everything.
    const whole = hashes(0, TILE_WIDTH);
    for (let index = 0; index < 600; index += 1) {
      tiles.plan('other', [{ level: 0, index: index * TILE_WIDTH }]).fold([whole]);
    }
    expect(tiles.plan('log', [{ level: 0, index: 3 }]).missing).toHaveLength(1);
    expect(waiting.fold([])).toEqual([Buffer.from(leaf(3))]);
  });

  it('of leaves are cut out of the segments around them', () => {
    const segments = [
      { position: 990, leaf_hashes: hashes(0, 20) },
      { position: 1010, leaf_hashes: hashes(20, 600) },
    ];
    const tile = tileOfLeaves(segments, 1_000);
    expect(tile.length).toBe(TILE_WIDTH * HASH_BYTES);
    expect(Buffer.from(tile)).toEqual(hashes(10, 10 + TILE_WIDTH));
  });
});
