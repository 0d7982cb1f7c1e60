/**
 * A second implementation of RFC 6962 sections 2.1 to 2.1.2, by its recursive definitions and in hex text; it shares
 * no code with the package, is slow on purpose, and the package is compared with it.
 */
import { createHash } from 'node:crypto';

function H(prefix: string, ...parts: string[]): string {
  return createHash('sha256')
    .update(Buffer.from(prefix + parts.join(''), 'hex'))
    .digest('hex');
}

/** The largest power of two smaller than n. */
function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** MTH over leaf hashes that are already known. */
export function naiveRootOfHashes(D: readonly string[]): string {
  if (D.length === 0) return H('');
  if (D.length === 1) return D[0]!;
  const k = split(D.length);
  return H('01', naiveRootOfHashes(D.slice(0, k)), naiveRootOfHashes(D.slice(k)));
}

export function naiveLeafHash(leaf: Uint8Array): string {
  return H('00', Buffer.from(leaf).toString('hex'));
}

export function naiveRoot(leaves: readonly Uint8Array[]): string {
  return naiveRootOfHashes(leaves.map(naiveLeafHash));
}

/** PATH(m, D[n]). */
export function naivePath(m: number, D: readonly string[]): string[] {
  if (D.length === 1) return [];
  const k = split(D.length);
  return m < k
    ? [...naivePath(m, D.slice(0, k)), naiveRootOfHashes(D.slice(k))]
    : [...naivePath(m - k, D.slice(k)), naiveRootOfHashes(D.slice(0, k))];
}

/** PROOF(m, D[n]). */
export function naiveConsistency(m: number, D: readonly string[]): string[] {
  const subproof = (size: number, part: readonly string[], whole: boolean): string[] => {
    if (size === part.length) return whole ? [] : [naiveRootOfHashes(part)];
    const k = split(part.length);
    return size <= k
      ? [...subproof(size, part.slice(0, k), whole), naiveRootOfHashes(part.slice(k))]
      : [...subproof(size - k, part.slice(k), false), naiveRootOfHashes(part.slice(0, k))];
  };
  return subproof(m, D, true);
}

/** Folds an inclusion proof by walking down the recursive split, top of the proof first. */
export function naiveRootFromPath(
  leaf: string,
  m: number,
  n: number,
  path: readonly string[],
): string | null {
  if (n === 1) return path.length === 0 && m === 0 ? leaf : null;
  const top = path.at(-1);
  if (top === undefined) return null;
  const k = split(n);
  const inner = m < k;
  const below = naiveRootFromPath(leaf, inner ? m : m - k, inner ? k : n - k, path.slice(0, -1));
  if (below === null) return null;
  return inner ? H('01', below, top) : H('01', top, below);
}
