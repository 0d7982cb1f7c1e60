/** Builds inclusion and consistency proofs (RFC 6962 sections 2.1.1 and 2.1.2) from the log's stored hashes. */
import { isCount } from './leaf.ts';
import { nodeHash } from './merkle-hash.ts';
import { type Sha256, sha256 } from './sha256.ts';

/** The complete subtree over the leaves from index * 2^level up to, but excluding, (index + 1) * 2^level. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** Returns the root of a complete subtree. It is called only for subtrees within the tree of the proof. */
export type HashReader = (level: number, index: number) => Uint8Array;

/** One list of subtrees per hash of the proof: its members, folded from the right, give that hash. */
export type ProofPlan = readonly (readonly Subtree[])[];

/** The largest power of two below n. */
function splitOf(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** The complete subtrees of the range, largest first. INVARIANT: `begin` is a multiple of the first one's width. */
function cover(begin: number, end: number): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = begin; at < end; ) {
    let width = 1;
    let level = 0;
    while (width * 2 <= end - at) {
      width *= 2;
      level += 1;
    }
    subtrees.push({ level, index: at / width });
    at += width;
  }
  return subtrees;
}

/** What to read for the proof that leaf `index` is in the tree of `size` leaves. */
export function planInclusion(index: number, size: number): ProofPlan {
  if (!isCount(index) || !isCount(size) || index >= size) {
    throw new RangeError(`no leaf ${index} in a tree of ${size}`);
  }
  const plan: Subtree[][] = [];
  for (let begin = 0, end = size; end - begin > 1; ) {
    const middle = begin + splitOf(end - begin);
    if (index < middle) {
      plan.push(cover(middle, end));
      end = middle;
    } else {
      plan.push(cover(begin, middle));
      begin = middle;
    }
  }
  return plan.reverse();
}

/** What to read for the proof that the tree of `to` leaves extends that of `from`. */
export function planConsistency(from: number, to: number): ProofPlan {
  if (!isCount(from) || !isCount(to) || from > to) {
    throw new RangeError(`a tree of ${to} does not extend one of ${from}`);
  }
  if (from === 0 || from === to) return [];
  const plan: Subtree[][] = [];
  let begin = 0;
  let end = to;
  while (end !== from) {
    const middle = begin + splitOf(end - begin);
    if (from <= middle) {
      plan.push(cover(middle, end));
      end = middle;
    } else {
      plan.push(cover(begin, middle));
      begin = middle;
    }
  }
  // If the whole older tree is one subtree of the newer one, the verifier already knows its root.
  if (begin > 0) plan.push(cover(begin, end));
  return plan.reverse();
}

/** Reads and folds the subtrees of a plan. A store that reads asynchronously loads the plan's subtrees first. */
export function readPlan(plan: ProofPlan, read: HashReader, hash: Sha256 = sha256): Uint8Array[] {
  return plan.map((subtrees) =>
    subtrees
      .map(({ level, index }) => read(level, index))
      .reduceRight((right, left) => nodeHash(left, right, hash)),
  );
}
