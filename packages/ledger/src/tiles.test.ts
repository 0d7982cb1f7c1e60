import { describe, expect, it } from 'vitest';
import { consistencyProof, inclusionProof } from '../test/proofs.ts';
import { Frontier } from './frontier.ts';
import { leafHash } from './merkle-hash.ts';
import { sha256 } from './sha256.ts';
import { tileHashReader, tilePlace } from './tiles.ts';
import { verifyConsistency, verifyInclusion } from './verify-proof.ts';

const SIZE = 70_000;

/** A log as a store would hold it: tiles that only ever grow at their ends. */
const tiles = new Map<string, number[]>();
const hashes: Uint8Array[] = [];
const roots = new Map<number, Uint8Array>();
const frontier = new Frontier();
for (let i = 0; i < SIZE; i += 1) {
  const hash = leafHash(new Uint8Array([i, i >> 8, i >> 16]));
  hashes.push(hash);
  frontier.append(hash, (level, index, subtree) => {
    const place = tilePlace(level, index);
    if (place === null) return;
    const key = `${place.tileLevel}/${place.tileIndex}`;
    const tile = tiles.get(key) ?? [];
    expect(tile).toHaveLength(place.offset * 32);
    tile.push(...subtree);
    tiles.set(key, tile);
  });
  if ([1, 255, 256, 257, 65_536, 65_537, 69_999, SIZE].includes(i + 1)) roots.set(i + 1, frontier.root());
}
function readTile(level: number, index: number) {
  return Uint8Array.from(tiles.get(`${level}/${index}`) ?? []);
}

describe('tiles', () => {
  it('are placed as in the published example of 70,000 entries', () => {
    const widths = (level: number) =>
      [...tiles].filter(([key]) => key.startsWith(`${level}/`)).map(([, tile]) => tile.length / 32);
    expect(widths(0)).toEqual([...Array(273).fill(256), 112]);
    expect(widths(1)).toEqual([256, 17]);
    expect(widths(2)).toEqual([1]);
  });

  it('prove inclusion and consistency in a tree of three levels', () => {
    const read = tileHashReader(readTile);
    for (const [size, root] of roots) {
      for (const index of [0, 1, 255, 256, 65_535, 65_536, 69_998, 69_999].filter((i) => i < size)) {
        const proof = inclusionProof(index, size, read);
        expect(verifyInclusion({ leafHash: hashes[index]!, index, size, proof, root })).toBe(true);
      }
      for (const [from, fromRoot] of roots) {
        if (from > size) continue;
        const proof = consistencyProof(from, size, read);
        expect(verifyConsistency({ from, to: size, fromRoot, toRoot: root, proof })).toBe(true);
      }
    }
  });

  it('are folded once: the second proof of a recent leaf hashes almost nothing', () => {
    let calls = 0;
    const counting = (bytes: Uint8Array) => {
      calls += 1;
      return sha256(bytes);
    };
    const read = tileHashReader(readTile, counting);
    inclusionProof(SIZE - 1, SIZE, read, counting);
    const first = calls;
    calls = 0;
    inclusionProof(SIZE - 2, SIZE, read, counting);
    expect(first).toBeGreaterThan(50);
    expect(calls).toBeLessThan(5);
  });

  it('are cached within a limit, and still read correctly beyond it', () => {
    const read = tileHashReader(readTile);
    for (let index = 0; index < 34_000; index += 1) read(1, index);
    const proof = inclusionProof(5, SIZE, read);
    const claim = { leafHash: hashes[5]!, index: 5, size: SIZE, proof, root: roots.get(SIZE)! };
    expect(verifyInclusion(claim)).toBe(true);
  });

  it('that lack a hash are a broken store, not a shorter proof', () => {
    const read = tileHashReader((level, index) => readTile(level, index).subarray(0, 111 * 32));
    expect(() => read(0, SIZE - 1)).toThrow('tile 0/273 holds no hash 111');
    expect(() => tileHashReader(() => new Uint8Array(0))(3, 0)).toThrow(RangeError);
  });
});
