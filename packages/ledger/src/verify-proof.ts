/** Verifies inclusion and consistency proofs by the algorithms of RFC 9162 sections 2.1.3.2 and 2.1.4.2. */
import { isCount } from './leaf.ts';
import { emptyRoot, nodeHash } from './merkle-hash.ts';
import { HASH_BYTES, type Sha256, sameBytes, sha256 } from './sha256.ts';

function isOdd(n: number): boolean {
  return n % 2 === 1;
}
function half(n: number): number {
  return Math.floor(n / 2);
}

function areHashes(hashes: readonly Uint8Array[]): boolean {
  return hashes.every((hash) => hash.length === HASH_BYTES);
}

export interface InclusionClaim {
  readonly leafHash: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly proof: readonly Uint8Array[];
  readonly root: Uint8Array;
}

export function verifyInclusion(claim: InclusionClaim, hash: Sha256 = sha256): boolean {
  const { index, size, proof, root } = claim;
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  if (!areHashes([claim.leafHash, root, ...proof])) return false;
  let node = index;
  let last = size - 1;
  let computed = claim.leafHash;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      computed = nodeHash(sibling, computed, hash);
      // Levels without a sibling, at the right edge, are skipped.
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else {
      computed = nodeHash(computed, sibling, hash);
    }
    node = half(node);
    last = half(last);
  }
  return last === 0 && sameBytes(computed, root);
}

export interface ConsistencyClaim {
  readonly from: number;
  readonly to: number;
  readonly fromRoot: Uint8Array;
  readonly toRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

export function verifyConsistency(claim: ConsistencyClaim, hash: Sha256 = sha256): boolean {
  const { from, to, fromRoot, toRoot, proof } = claim;
  if (!isCount(from) || !isCount(to) || from > to) return false;
  if (!areHashes([fromRoot, toRoot, ...proof])) return false;
  if (from === to) return proof.length === 0 && sameBytes(fromRoot, toRoot);
  // Every tree extends the empty one, and that needs no proof.
  if (from === 0) return proof.length === 0 && sameBytes(fromRoot, emptyRoot(hash));

  let node = from - 1;
  let last = to - 1;
  while (isOdd(node)) {
    node = half(node);
    last = half(last);
  }
  // INVARIANT: node is 0 here exactly when `from` is a power of two; then the older root is itself the first hash.
  const [first, ...rest] = node === 0 ? [fromRoot, ...proof] : proof;
  if (first === undefined) return false;
  let older = first;
  let newer = first;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      older = nodeHash(sibling, older, hash);
      newer = nodeHash(sibling, newer, hash);
      while (!isOdd(node) && node !== 0) {
        node = half(node);
        last = half(last);
      }
    } else {
      newer = nodeHash(newer, sibling, hash);
    }
    node = half(node);
    last = half(last);
  }
  return last === 0 && sameBytes(older, fromRoot) && sameBytes(newer, toRoot);
}
