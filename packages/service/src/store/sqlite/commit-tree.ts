/** The part of the tree that proofs for the leaves of one commit need: the old right edge, and what was added to it. */
import { inclusionProof, type Sha256 } from '@writecheck/ledger';

const SIZE_BYTES = 8;
const HASH_BYTES = 32;
const LEVELS_MAX = 64;

const nameOf = (level: number, index: number): number => index * LEVELS_MAX + level;

export class CommitTree {
  readonly #hashes = new Map<number, Uint8Array>();

  /** `frontier` is the stored one, from before the commit. */
  constructor(frontier: Buffer) {
    let rest = Number(frontier.readBigUInt64BE(0));
    let end = frontier.length;
    for (let level = 0; rest > 0; level += 1) {
      if (rest % 2 === 1) {
        this.#hashes.set(nameOf(level, rest - 1), frontier.subarray(end - HASH_BYTES, end));
        end -= HASH_BYTES;
      }
      rest = Math.floor(rest / 2);
    }
    if (end !== SIZE_BYTES) throw new RangeError('the frontier does not fit its size');
  }

  keep(level: number, index: number, hash: Uint8Array): void {
    this.#hashes.set(nameOf(level, index), hash);
  }

  /**
   * The hashes one after another. INVARIANT: a sibling on the way up from a leaf of this commit was either
   * completed by the commit or was an edge before it: its parent holds the leaf, so it was not complete.
   */
  proofOf(index: number, size: number, sha256: Sha256): Buffer {
    const read = (level: number, at: number): Uint8Array => {
      const hash = this.#hashes.get(nameOf(level, at));
      if (hash === undefined)
        throw new RangeError(`the commit's tree holds no subtree ${at} of level ${level}`);
      return hash;
    };
    return Buffer.concat(inclusionProof(index, size, read, sha256));
  }
}
