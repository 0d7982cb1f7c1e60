/** One commit's part of a log, ready to be appended: its entries, their hashes and the tree's new edge. */
import { Frontier, leafHash, TILE_HEIGHT } from '@writecheck/ledger/log';
import type { SegmentEntry } from '../log/segment.ts';
import { StoreUnavailable } from '../port/failure.ts';
import { HASH_BYTES, sha256 } from '../sha256.ts';

/** A log as its store holds it. */
export interface Head {
  readonly log: string;
  readonly size: number;
  readonly frontier: Uint8Array;
  readonly newestMs: number;
}

export interface BuiltSegment {
  readonly entries: readonly SegmentEntry[];
  readonly oldestMs: number;
  readonly latestMs: number;
  readonly leafHashes: Buffer;
  /** Complete subtrees that are stored: one for every 256 leaves, one for every 256 times as many, and so on. */
  readonly nodes: readonly { readonly level: number; readonly number: number; readonly hash: Uint8Array }[];
  /** The log once the segment is appended. */
  readonly next: Head;
}

/** The frontier of a log without entries. */
export const EMPTY_FRONTIER = Buffer.alloc(8);

/** The record of an entry whose leaf says everything. */
export const NO_RECORD = new Uint8Array(0);

/** An entry that is not a decision. */
export interface NewEntry {
  readonly leaf: Uint8Array;
  /** Texts whose digests the leaf holds, for the few entries that have any. */
  readonly record?: Uint8Array;
  readonly atMs: number;
}

/** Append entries one by one; call `finish` once. */
export class SegmentBuilder {
  readonly #head: Head;
  readonly #frontier: Frontier;
  readonly #entries: SegmentEntry[] = [];
  readonly #hashes: Uint8Array[] = [];
  readonly #nodes: { level: number; number: number; hash: Uint8Array }[] = [];
  #oldestMs = Number.MAX_SAFE_INTEGER;
  #latestMs = 0;

  /** Throws `StoreUnavailable` if the head contradicts itself. */
  constructor(head: Head) {
    const frontier = Frontier.fromBytes(head.frontier, sha256);
    if (frontier === null || frontier.size !== head.size) throw damaged();
    this.#head = head;
    this.#frontier = frontier;
  }

  /** Returns the index of the leaf. INVARIANT: indexes are consecutive, in the order of the calls. */
  append(entry: SegmentEntry, atMs: number): number {
    const index = this.#frontier.size;
    const hashed = entry.leafHash ?? leafHash(entry.leaf, sha256);
    this.#frontier.append(hashed, this.#onSubtree);
    this.#entries.push(entry);
    this.#hashes.push(hashed);
    if (atMs < this.#oldestMs) this.#oldestMs = atMs;
    if (atMs > this.#latestMs) this.#latestMs = atMs;
    return index;
  }

  readonly #onSubtree = (level: number, number: number, hash: Uint8Array): void => {
    if (level > 0 && level % TILE_HEIGHT === 0) this.#nodes.push({ level, number, hash });
  };

  finish(): BuiltSegment {
    return {
      entries: this.#entries,
      oldestMs: this.#oldestMs,
      latestMs: this.#latestMs,
      leafHashes: Buffer.concat(this.#hashes, this.#hashes.length * HASH_BYTES),
      nodes: this.#nodes,
      next: {
        log: this.#head.log,
        size: this.#frontier.size,
        frontier: this.#frontier.toBytes(),
        newestMs: Math.max(this.#head.newestMs, this.#latestMs),
      },
    };
  }
}

/** Entries that are not decisions, as one segment. */
export function segmentOf(head: Head, entries: readonly NewEntry[]): BuiltSegment {
  const builder = new SegmentBuilder(head);
  for (const { leaf, record = NO_RECORD, atMs } of entries) builder.append({ record, leaf }, atMs);
  return builder.finish();
}

function damaged(): StoreUnavailable {
  const cause = new Error('the frontier of the log does not fit its size');
  return new StoreUnavailable('corrupt', 'the log is damaged; restore the database from a backup', cause);
}
