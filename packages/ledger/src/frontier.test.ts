import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CT_LEAVES, CT_NODES, CT_ROOTS } from '../test/ct-vectors.ts';
import { naiveRoot } from '../test/naive-log.ts';
import { Frontier } from './frontier.ts';
import { leafHash, nodeHash } from './merkle-hash.ts';

function hex(bytes: Uint8Array) {
  return Buffer.from(bytes).toString('hex');
}
function nodeSha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}

const leaves = Array.from({ length: 300 }, (_, i) => Buffer.from(`leaf ${i}`));

describe('frontier', () => {
  it('has the published roots of the certificate transparency test tree at every size', () => {
    const frontier = new Frontier();
    expect(hex(frontier.root())).toBe(CT_ROOTS[0]);
    for (const [i, leaf] of CT_LEAVES.entries()) {
      frontier.append(leafHash(leaf));
      expect(frontier.size).toBe(i + 1);
      expect(hex(frontier.root())).toBe(CT_ROOTS[i + 1]);
    }
  });

  it('reports the published hash of every complete subtree, each once and in its place', () => {
    const frontier = new Frontier();
    const nodes: string[][] = [];
    for (const leaf of CT_LEAVES) {
      frontier.append(leafHash(leaf), (level, index, hash) => {
        nodes[level] ??= [];
        expect(nodes[level]).toHaveLength(index);
        nodes[level].push(hex(hash));
      });
    }
    expect(nodes).toEqual(CT_NODES);
  });

  it('agrees with the recursive definition at every size to 300, with either hash', () => {
    const pure = new Frontier();
    const native = new Frontier(nodeSha256);
    for (const [i, leaf] of leaves.entries()) {
      pure.append(leafHash(leaf));
      native.append(leafHash(leaf, nodeSha256));
      const expected = naiveRoot(leaves.slice(0, i + 1));
      expect(hex(pure.root())).toBe(expected);
      expect(hex(native.root())).toBe(expected);
    }
  });

  it('is read back from its bytes at every size and continues as if it had never stopped', () => {
    let frontier = new Frontier();
    for (const [i, leaf] of leaves.entries()) {
      const restored = Frontier.fromBytes(frontier.toBytes());
      expect(restored?.size).toBe(i);
      frontier = restored!;
      frontier.append(leafHash(leaf));
    }
    expect(hex(frontier.root())).toBe(naiveRoot(leaves));
  });

  it('refuses bytes that cannot be a frontier', () => {
    const frontier = new Frontier();
    for (const leaf of leaves.slice(0, 7)) frontier.append(leafHash(leaf));
    const bytes = frontier.toBytes();
    expect(bytes).toHaveLength(8 + 3 * 32);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(Frontier.fromBytes(bytes.slice(0, length)), `cut at ${length}`).toBeNull();
    }
    expect(Frontier.fromBytes(new Uint8Array([...bytes, 0]))).toBeNull();
    expect(Frontier.fromBytes(new Uint8Array(8).fill(0xff))).toBeNull();
    expect(Frontier.fromBytes(new Uint8Array(8))?.size).toBe(0);
    // One subtree of 2^60 leaves: more than can be counted exactly.
    expect(Frontier.fromBytes(new Uint8Array([0x10, ...new Uint8Array(7 + 32)]))).toBeNull();
  });
});

describe('merkle hash', () => {
  it('hashes a leaf of any length, even if longer than all before', () => {
    for (const length of [0, 1, 4095, 4096, 4097, 9000, 3]) {
      const leaf = Buffer.alloc(length, 7);
      expect(hex(leafHash(leaf))).toBe(hex(nodeSha256(Buffer.concat([Buffer.from([0]), leaf]))));
    }
  });

  it('never gives a leaf and a node the same hash', () => {
    const [left, right] = [leafHash(leaves[0]!), leafHash(leaves[1]!)];
    expect(hex(leafHash(Buffer.concat([left, right])))).not.toBe(hex(nodeHash(left, right)));
  });
});

it('the edges are the complete subtrees that the next leaves are hashed with, smallest first', () => {
  const frontier = new Frontier();
  const seen = new Map<string, Uint8Array>();
  for (let i = 0; i < 11; i += 1)
    frontier.append(leafHash(Uint8Array.of(i)), (level, index, hash) => seen.set(`${level} ${index}`, hash));
  // 11 leaves are 8 + 2 + 1.
  expect(frontier.edges()).toEqual(
    [
      [0, 10],
      [1, 4],
      [3, 0],
    ].map(([level, index]) => ({ level, index, hash: seen.get(`${level} ${index}`) })),
  );
  expect(new Frontier().edges()).toEqual([]);
  expect(Frontier.fromBytes(frontier.toBytes())!.edges()).toEqual(frontier.edges());
});
