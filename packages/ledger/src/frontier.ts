/** The right edge of a growing Merkle tree: enough to append leaves and to know the root, and nothing more. */
import { emptyRoot, nodeHash } from './merkle-hash.ts';
import { HASH_BYTES, type Sha256, sha256 } from './sha256.ts';

/** Called for every subtree of 2^level leaves that an append completes, including the leaf itself (level 0). */
export type OnSubtree = (level: number, index: number, hash: Uint8Array) => void;

const SIZE_BYTES = 8;

/** A frontier as it is stored: the size in 8 bytes, big-endian, then the hashes of the edge, that of the largest subtree first. */
export function frontierBytes(size: number, edge: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(SIZE_BYTES + edge.length * HASH_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(size));
  for (const [i, hash] of edge.entries()) bytes.set(hash, SIZE_BYTES + i * HASH_BYTES);
  return bytes;
}

export class Frontier {
  readonly #hash: Sha256;
  #size = 0;
  /**
   * INVARIANT: `#edge[level]` is the root of a complete subtree of 2^level leaves exactly if the binary form of
   * `#size` has a one there; entries at the zeros are left over and never read.
   */
  readonly #edge: Uint8Array[] = [];

  constructor(hash: Sha256 = sha256) {
    this.#hash = hash;
  }

  get size(): number {
    return this.#size;
  }

  /** Amortised constant: hashes as many inner nodes as the append completes. */
  append(leafHash: Uint8Array, onSubtree?: OnSubtree): void {
    let index = this.#size;
    let level = 0;
    let hash = leafHash;
    onSubtree?.(level, index, hash);
    while (index % 2 === 1) {
      hash = nodeHash(this.#edge[level]!, hash, this.#hash);
      index = (index - 1) / 2;
      level += 1;
      onSubtree?.(level, index, hash);
    }
    this.#edge[level] = hash;
    this.#size += 1;
  }

  /** The complete subtrees at the right edge, smallest first. */
  edges(): readonly { readonly level: number; readonly index: number; readonly hash: Uint8Array }[] {
    const edges: { level: number; index: number; hash: Uint8Array }[] = [];
    for (let rest = this.#size, level = 0; rest > 0; rest = Math.floor(rest / 2), level += 1) {
      if (rest % 2 === 1) edges.push({ level, index: rest - 1, hash: this.#edge[level]! });
    }
    return edges;
  }

  root(): Uint8Array {
    let root: Uint8Array | null = null;
    for (let rest = this.#size, level = 0; rest > 0; rest = Math.floor(rest / 2), level += 1) {
      if (rest % 2 === 0) continue;
      const left = this.#edge[level]!;
      root = root === null ? left : nodeHash(left, root, this.#hash);
    }
    return root ?? emptyRoot(this.#hash);
  }

  toBytes(): Uint8Array {
    const largestFirst = this.edges().map(({ hash }) => hash);
    return frontierBytes(this.#size, largestFirst.reverse());
  }

  /** Null if the bytes are not a frontier. Only its root can tell whether it belongs to the right log. */
  static fromBytes(bytes: Uint8Array, hash: Sha256 = sha256): Frontier | null {
    if (bytes.length < SIZE_BYTES) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = Number(view.getBigUint64(0));
    if (!Number.isSafeInteger(size)) return null;
    const frontier = new Frontier(hash);
    frontier.#size = size;
    let end = bytes.length;
    for (let rest = size, level = 0; rest > 0; rest = Math.floor(rest / 2), level += 1) {
      if (rest % 2 === 0) continue;
      end -= HASH_BYTES;
      if (end < SIZE_BYTES) return null;
      frontier.#edge[level] = bytes.slice(end, end + HASH_BYTES);
    }
    return end === SIZE_BYTES ? frontier : null;
  }
}
