import { describe, expect, it } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { CT_CONSISTENCY, CT_INCLUSION, CT_LEAVES, CT_NODES, CT_ROOTS } from '../test/ct-vectors.ts';
import { naiveConsistency, naivePath, naiveRootFromPath, naiveRootOfHashes } from '../test/naive-log.ts';
import { consistencyProof, inclusionProof } from '../test/proofs.ts';
import { Frontier } from './frontier.ts';
import { leafHash } from './merkle-hash.ts';
import { planConsistency, planInclusion } from './proof.ts';
import { verifyConsistency, verifyInclusion } from './verify-proof.ts';

function hex(bytes: Uint8Array) {
  return Buffer.from(bytes).toString('hex');
}
function unhex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

const SIZE = 70;
const subtrees = new Map<string, Uint8Array>();
const frontier = new Frontier();
const hashes = Array.from({ length: SIZE }, (_, i) => leafHash(Buffer.from(`leaf ${i}`)));
for (const hash of hashes) {
  frontier.append(hash, (level, index, subtree) => subtrees.set(`${level}/${index}`, subtree));
}
function read(level: number, index: number) {
  return subtrees.get(`${level}/${index}`)!;
}
const D = hashes.map(hex);
const roots = Array.from({ length: SIZE + 1 }, (_, n) => unhex(naiveRootOfHashes(D.slice(0, n))));

function ctRead(level: number, index: number) {
  return unhex(CT_NODES[level]![index]!);
}

describe('the published proofs of certificate transparency', () => {
  it.each(CT_INCLUSION)('inclusion of leaf %i in a tree of %i', (index, size, proof) => {
    expect(inclusionProof(index, size, ctRead).map(hex)).toEqual(proof);
    const claim = { leafHash: leafHash(CT_LEAVES[index]!), index, size, root: unhex(CT_ROOTS[size]!) };
    expect(verifyInclusion({ ...claim, proof: proof.map(unhex) })).toBe(true);
  });

  it.each(CT_CONSISTENCY)('consistency from %i to %i', (from, to, proof) => {
    expect(consistencyProof(from, to, ctRead).map(hex)).toEqual(proof);
    const claim = { from, to, fromRoot: unhex(CT_ROOTS[from]!), toRoot: unhex(CT_ROOTS[to]!) };
    expect(verifyConsistency({ ...claim, proof: proof.map(unhex) })).toBe(true);
  });
});

describe('inclusion', () => {
  it('is proven as in the recursive definition, for every leaf of every tree to 70', () => {
    for (let size = 1; size <= SIZE; size += 1) {
      for (let index = 0; index < size; index += 1) {
        const proof = inclusionProof(index, size, read);
        expect(proof.map(hex)).toEqual(naivePath(index, D.slice(0, size)));
        const claim = { leafHash: hashes[index]!, index, size, proof, root: roots[size]! };
        if (!verifyInclusion(claim)) expect.fail(`leaf ${index} of ${size} does not verify`);
      }
    }
  });

  it('verifies exactly what the recursive verifier does, whatever the claim', () => {
    const place = fc.nat(SIZE);
    const claim = fc.record({
      leaf: fc.nat(SIZE - 1),
      index: place,
      size: place,
      trueSize: fc.integer({ min: 1, max: SIZE }),
      trueIndex: fc.nat(SIZE - 1),
      extra: fc.constantFrom('none', 'drop', 'add', 'swap'),
      honest: fc.boolean(),
    });
    let accepted = 0;
    fc.assert(
      fc.property(claim, ({ leaf, index, size, trueSize, trueIndex, extra, honest }) => {
        const realIndex = trueIndex % trueSize;
        const proof = inclusionProof(realIndex, trueSize, read);
        if (extra === 'drop') proof.pop();
        if (extra === 'add') proof.push(hashes[leaf]!);
        if (extra === 'swap') proof.reverse();
        const claimed = honest
          ? { index: realIndex, size: trueSize, leafHash: hashes[realIndex]! }
          : { index, size, leafHash: hashes[leaf]! };
        const naive =
          claimed.index < claimed.size &&
          naiveRootFromPath(hex(claimed.leafHash), claimed.index, claimed.size, proof.map(hex)) ===
            hex(roots[trueSize]!);
        const verdict = verifyInclusion({ ...claimed, proof, root: roots[trueSize]! });
        if (verdict) accepted += 1;
        expect(verdict).toBe(naive);
      }),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(500);
  });

  it('fails with any changed bit of leaf, proof or root', () => {
    const base = { index: 41, size: SIZE, proof: inclusionProof(41, SIZE, read) };
    const flip = (bytes: Uint8Array, bit: number) =>
      bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
    for (let bit = 0; bit < 256; bit += 1) {
      expect(verifyInclusion({ ...base, leafHash: flip(hashes[41]!, bit), root: roots[SIZE]! })).toBe(false);
      expect(verifyInclusion({ ...base, leafHash: hashes[41]!, root: flip(roots[SIZE]!, bit) })).toBe(false);
      for (let at = 0; at < base.proof.length; at += 1) {
        const proof = base.proof.map((hash, i) => (i === at ? flip(hash, bit) : hash));
        expect(verifyInclusion({ ...base, proof, leafHash: hashes[41]!, root: roots[SIZE]! })).toBe(false);
      }
    }
  });

  it('is refused for hashes of another length and for places that do not exist', () => {
    const base = { leafHash: hashes[0]!, index: 0, size: 2, proof: [hashes[1]!], root: roots[2]! };
    expect(verifyInclusion(base)).toBe(true);
    expect(verifyInclusion({ ...base, proof: [new Uint8Array([...hashes[1]!, 0])] })).toBe(false);
    expect(verifyInclusion({ ...base, proof: [hashes[1]!.subarray(1)] })).toBe(false);
    expect(verifyInclusion({ ...base, leafHash: hashes[0]!.subarray(1) })).toBe(false);
    expect(verifyInclusion({ ...base, root: new Uint8Array(0) })).toBe(false);
    for (const [index, size] of [
      [-1, 2],
      [2, 2],
      [0.5, 2],
      [0, 1.5],
      [Number.NaN, 2],
      [0, Number.NaN],
      [0, Number.POSITIVE_INFINITY],
      [0, 2 ** 53],
    ] as const) {
      expect(verifyInclusion({ ...base, index, size })).toBe(false);
    }
  });

  it('of places that do not exist is never planned', () => {
    for (const [index, size] of [
      [0, 0],
      [3, 3],
      [-1, 3],
      [0.5, 3],
      [0, Number.NaN],
    ] as const) {
      expect(() => planInclusion(index, size)).toThrow(RangeError);
    }
  });

  it('reaches beyond the range of 32 bits', () => {
    const size = 2 ** 40 + 3;
    const plan = planInclusion(2 ** 40 + 1, size);
    expect(plan).toEqual([
      [{ level: 0, index: 2 ** 40 }],
      [{ level: 0, index: 2 ** 40 + 2 }],
      [{ level: 40, index: 0 }],
    ]);
    const [left, right, rest] = [hashes[0]!, hashes[1]!, hashes[2]!];
    const root = unhex(naiveRootFromPath(hex(left), 2 ** 40 + 1, size, [right, rest, roots[9]!].map(hex))!);
    const claim = { leafHash: left, index: 2 ** 40 + 1, size, proof: [right, rest, roots[9]!], root };
    expect(verifyInclusion(claim)).toBe(true);
    expect(verifyInclusion({ ...claim, index: 1 })).toBe(false);
  });
});

describe('consistency', () => {
  it('is proven as in the recursive definition, between all trees to 70', () => {
    for (let to = 1; to <= SIZE; to += 1) {
      for (let from = 1; from <= to; from += 1) {
        const proof = consistencyProof(from, to, read);
        expect(proof.map(hex)).toEqual(naiveConsistency(from, D.slice(0, to)));
        const claim = { from, to, fromRoot: roots[from]!, toRoot: roots[to]!, proof };
        if (!verifyConsistency(claim)) expect.fail(`${from} to ${to} does not verify`);
      }
    }
  });

  it('holds only for its own pair of sizes and roots', () => {
    const naive = Array.from({ length: 21 }, (_, n) =>
      Array.from({ length: n + 1 }, (_, m) => (m === 0 ? '' : naiveConsistency(m, D.slice(0, n)).join())),
    );
    for (let to = 1; to <= 20; to += 1) {
      for (let from = 1; from <= to; from += 1) {
        const proof = consistencyProof(from, to, read);
        const spelt = proof.map(hex).join();
        for (let otherTo = 0; otherTo <= 20; otherTo += 1) {
          for (let otherFrom = 0; otherFrom <= 20; otherFrom += 1) {
            const claim = {
              from: otherFrom,
              to: otherTo,
              fromRoot: roots[otherFrom]!,
              toRoot: roots[otherTo]!,
            };
            const isProven = verifyConsistency({ ...claim, proof });
            const right = otherFrom <= otherTo && naive[otherTo]![otherFrom] === spelt;
            if (isProven !== right) expect.fail(`${from}-${to} as ${otherFrom}-${otherTo}: ${isProven}`);
          }
        }
      }
    }
  });

  it('fails with a hash dropped, added, changed or cut short, and with either root changed', () => {
    const other = leafHash(Buffer.from('other'));
    for (const [from, to] of [
      [1, 2],
      [3, 7],
      [4, 9],
      [31, 64],
      [64, 70],
      [33, 70],
    ] as const) {
      const proof = consistencyProof(from, to, read);
      const claim = { from, to, fromRoot: roots[from]!, toRoot: roots[to]!, proof };
      expect(verifyConsistency({ ...claim, fromRoot: other })).toBe(false);
      expect(verifyConsistency({ ...claim, toRoot: other })).toBe(false);
      expect(verifyConsistency({ ...claim, toRoot: other.subarray(1) })).toBe(false);
      for (let at = 0; at <= proof.length; at += 1) {
        expect(verifyConsistency({ ...claim, proof: proof.toSpliced(at, 0, other) })).toBe(false);
        if (at === proof.length) continue;
        expect(verifyConsistency({ ...claim, proof: proof.toSpliced(at, 1) })).toBe(false);
        expect(verifyConsistency({ ...claim, proof: proof.with(at, other) })).toBe(false);
        expect(verifyConsistency({ ...claim, proof: proof.with(at, proof[at]!.subarray(1)) })).toBe(false);
      }
    }
  });

  it('with the empty tree needs no proof and accepts none', () => {
    const claim = { from: 0, to: 3, fromRoot: roots[0]!, toRoot: roots[3]!, proof: [] };
    expect(planConsistency(0, 3)).toEqual([]);
    expect(verifyConsistency(claim)).toBe(true);
    expect(verifyConsistency({ ...claim, fromRoot: roots[1]! })).toBe(false);
    expect(verifyConsistency({ ...claim, proof: [roots[1]!] })).toBe(false);
  });

  it('of a tree with itself needs the same root and no proof', () => {
    const claim = { from: 3, to: 3, fromRoot: roots[3]!, toRoot: roots[3]!, proof: [] };
    expect(verifyConsistency(claim)).toBe(true);
    expect(verifyConsistency({ ...claim, toRoot: roots[2]! })).toBe(false);
    expect(verifyConsistency({ ...claim, proof: [roots[3]!] })).toBe(false);
  });

  it('with a smaller tree or invalid sizes is never planned or proven', () => {
    for (const [from, to] of [
      [4, 3],
      [-1, 3],
      [1.5, 3],
      [1, Number.NaN],
    ] as const) {
      expect(() => planConsistency(from, to)).toThrow(RangeError);
      expect(verifyConsistency({ from, to, fromRoot: roots[3]!, toRoot: roots[3]!, proof: [] })).toBe(false);
    }
    const root = roots[3]!;
    expect(verifyConsistency({ from: -1, to: 1, fromRoot: root, toRoot: root, proof: [root] })).toBe(false);
  });
});
