/** The part of the tree that proofs for one commit's leaves need: the old right edge and the nodes added to it. */
import { encodeBase64, type Frontier, nodeHash, type Sha256 } from '@writecheck/ledger/log';

const LEVELS_MAX = 64;

function nameOf(level: number, index: number): number {
  return index * LEVELS_MAX + level;
}

export class CommitTree {
  readonly #sha256: Sha256;
  readonly #hashes = new Map<number, Uint8Array>();
  /** Leaves of one commit share most of their siblings, so each is encoded once. */
  readonly #texts = new Map<number, string>();

  /** `frontier` is the frontier before the commit. */
  constructor(frontier: Frontier, sha256: Sha256) {
    this.#sha256 = sha256;
    for (const { level, index, hash } of frontier.edges()) this.keep(level, index, hash);
  }

  keep(level: number, index: number, hash: Uint8Array): void {
    this.#hashes.set(nameOf(level, index), hash);
  }

  /**
   * The hashes in base64, as the elements of a JSON array. `size` is that of the tree with the whole commit in it.
   * INVARIANT: a sibling on the way up from a leaf of this commit was either completed by the commit or was an edge
   * before it: its parent contains the leaf, so it was not complete.
   */
  proofOf(index: number, size: number): string {
    let proof = '';
    let at = index;
    let width = size;
    for (let level = 0; width > 1; level += 1) {
      const sibling = at % 2 === 1 ? at - 1 : at + 1;
      // A node at the right edge without a sibling is its own parent.
      if (sibling < width) proof += `${proof === '' ? '' : ','}"${this.#textOf(level, sibling, size)}"`;
      at = Math.floor(at / 2);
      width = Math.ceil(width / 2);
    }
    return proof;
  }

  #textOf(level: number, index: number, size: number): string {
    const name = nameOf(level, index);
    let text = this.#texts.get(name);
    if (text === undefined) {
      text = encodeBase64(this.#hashOf(level, index, size));
      this.#texts.set(name, text);
    }
    return text;
  }

  /** The last node of a level may cover fewer leaves than the others; it is made of the one or two below it. */
  #hashOf(level: number, index: number, size: number): Uint8Array {
    const name = nameOf(level, index);
    const known = this.#hashes.get(name);
    if (known !== undefined) return known;
    if (level === 0 || (index + 1) * 2 ** level <= size) {
      throw new RangeError(`the commit's tree holds no subtree ${index} of level ${level}`);
    }
    const left = this.#hashOf(level - 1, index * 2, size);
    const hasRight = (index * 2 + 1) * 2 ** (level - 1) < size;
    const hash = hasRight ? nodeHash(left, this.#hashOf(level - 1, index * 2 + 1, size), this.#sha256) : left;
    this.#hashes.set(name, hash);
    return hash;
  }
}
