/** One commit's worth of a log, ready to be appended: leaves, hashes, the tree's new edge and the segment's bytes. */
import { hash } from 'node:crypto';
import {
  encodeBase64,
  Frontier,
  leafBytes,
  leafHash,
  type OnSubtree,
  recordBytes,
  type Sha256,
  TILE_HEIGHT,
} from '@writecheck/ledger';
import { CommitTree } from '../commit-tree.ts';
import type { CommitEntry, CommitRequest, Inclusion } from '../port.ts';
import { encodeSegment, type SegmentEntry } from '../segment.ts';
import { unavailable } from './postgres-failure.ts';

/** A record may reach the log this much later than the newest one in it; what waited longer is refused. */
export const LATENESS_MS_MAX = 30_000;

const HASH_BYTES = 32;
export const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');

export interface Head {
  readonly number: number;
  readonly log: string;
  readonly size: number;
  readonly frontier: Buffer;
  readonly newestMs: number;
}

export interface BuiltSegment {
  readonly count: number;
  readonly oldestMs: number;
  readonly latestMs: number;
  readonly leafHashes: Buffer;
  readonly body: Buffer;
  /** Complete subtrees that are stored: one of every 256 leaves, of 256 times as many, and so on. */
  readonly nodes: readonly { readonly level: number; readonly number: number; readonly hash: Uint8Array }[];
  /** The log's head once it is appended. */
  readonly next: Head;
}

/** Entries go in one by one; `finish` is called once. */
export class SegmentBuilder {
  readonly #head: Head;
  readonly #frontier: Frontier;
  readonly #tree: CommitTree | null;
  readonly #entries: SegmentEntry[] = [];
  readonly #hashes: Uint8Array[] = [];
  readonly #nodes: { level: number; number: number; hash: Uint8Array }[] = [];
  #oldestMs = Number.MAX_SAFE_INTEGER;
  #latestMs = 0;

  constructor(head: Head, isProven = false) {
    const frontier = Frontier.fromBytes(head.frontier, sha256);
    if (frontier === null || frontier.size !== head.size) {
      throw unavailable('corrupt', new Error('the frontier of the log does not fit its size'));
    }
    this.#head = head;
    this.#frontier = frontier;
    this.#tree = isProven ? new CommitTree(head.frontier, sha256) : null;
  }

  /** Returns the index of the leaf. */
  appendDecision({ workspace, keyKind }: CommitRequest, entry: CommitEntry): number {
    const record = recordBytes(entry.record);
    const recordDigest = `sha256:${hash('sha256', record)}`;
    const leaf = leafBytes({ ...entry.leaf, log: this.#head.log, workspace, keyKind, recordDigest });
    return this.append({ record, leaf }, entry.atMs);
  }

  append(entry: SegmentEntry, atMs: number): number {
    const index = this.#frontier.size;
    const hashed = leafHash(entry.leaf, sha256);
    this.#frontier.append(hashed, this.#onSubtree);
    this.#entries.push(entry);
    this.#hashes.push(hashed);
    if (atMs < this.#oldestMs) this.#oldestMs = atMs;
    if (atMs > this.#latestMs) this.#latestMs = atMs;
    return index;
  }

  readonly #onSubtree: OnSubtree = (level, number, hashed) => {
    if (level > 0 && level % TILE_HEIGHT === 0) this.#nodes.push({ level, number, hash: hashed });
    this.#tree?.keep(level, number, hashed);
  };

  /** Once every leaf of the commit is in the tree: a proof leads to the root that all of them share. */
  prover(): (leafIndex: number) => Inclusion {
    const tree = this.#tree!;
    const { size, frontier } = this.#head;
    // INVARIANT: it was read when the builder was made.
    const before = { size, root: Frontier.fromBytes(frontier, sha256)!.root() };
    const at = { before, treeSize: this.#frontier.size, root: this.#frontier.root() };
    return (leafIndex) => ({
      ...at,
      leaf: encodeBase64(this.#entries[leafIndex - this.#head.size]!.leaf),
      proof: tree.proofOf(leafIndex, at.treeSize),
    });
  }

  finish(): BuiltSegment {
    const { number, log, newestMs } = this.#head;
    return {
      count: this.#entries.length,
      oldestMs: this.#oldestMs,
      latestMs: this.#latestMs,
      leafHashes: Buffer.concat(this.#hashes, this.#hashes.length * HASH_BYTES),
      body: encodeSegment(this.#entries),
      nodes: this.#nodes,
      next: {
        ...{ number, log, size: this.#frontier.size },
        frontier: Buffer.from(this.#frontier.toBytes()),
        newestMs: Math.max(newestMs, this.#latestMs),
      },
    };
  }
}
