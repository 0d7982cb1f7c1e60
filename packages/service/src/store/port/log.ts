/** The log: its segments, its tree and its signatures. */
import type { Subtree } from '@writecheck/ledger';

export interface LogHead {
  readonly log: string;
  /** Number of leaves. */
  readonly size: number;
  /** Roots of the perfect subtrees of the tree, left to right, 32 bytes each. */
  readonly frontier: Uint8Array;
  readonly newestAtMs: number;
  /** Whether anything may still be appended to it; left out by a store of which only one log is ever open, `log`. */
  readonly isOpen?: boolean;
}

/** One commit's worth of a log. */
export interface Segment {
  readonly log: string;
  readonly firstIndex: number;
  /** Both are empty where an entry was pruned; its hash stays. Only decisions have a record. */
  readonly entries: readonly { readonly record: Uint8Array; readonly leaf: Uint8Array }[];
  /** RFC 6962 leaf hashes, 32 bytes each, in order. */
  readonly leafHashes: Uint8Array;
}

/** A signed checkpoint with the frontier whose root it signs. */
export interface StoredCheckpoint {
  readonly log: string;
  readonly size: number;
  /** The whole signed note. */
  readonly note: string;
  readonly frontier: Uint8Array;
}

export interface Continuation {
  /** The name of the new log. */
  readonly log: string;
  /** The entry it begins with. */
  readonly leaf: Uint8Array;
  readonly atMs: number;
  /** The log it goes on from, and how many leaves that must have now. */
  readonly from: { readonly log: string; readonly size: number };
}

export interface PruneQuery {
  /** Every workspace where left out. */
  readonly workspace?: string;
  /** What is older than this. */
  readonly beforeMs?: number;
  /** Decisions about this object, and their redemptions. */
  readonly objectRef?: string;
}

export interface LogKeeping {
  /** Roots of complete subtrees that lie within the log, in the order asked for. */
  subtreeHashes(log: string, subtrees: readonly Subtree[]): Promise<readonly Uint8Array[]>;
  newestCheckpoint(log: string): Promise<StoredCheckpoint | null>;
  /** Keeps it as the newest of its log; one that is not larger than the kept one changes nothing. */
  keepCheckpoint(checkpoint: StoredCheckpoint): Promise<void>;
  /** Every verifier key line ever published, newest first. */
  verifierKeys(): Promise<readonly string[]>;
  /** Publishing a line twice changes nothing. */
  publishVerifierKey(line: string, nowMs: number): Promise<void>;
  /** Begins a new log after the open one; false where that one is another or has grown. Needs a restart to be used. */
  continueLog(continuation: Continuation): Promise<boolean>;
  /**
   * Takes records and leaves that the query names out of the log and its index, and keeps the hashes of the
   * leaves. Continuations stay, and so does what open reviews and unused approvals need. Resolves with how many
   * entries were emptied, or would be if it only counts.
   */
  prune(query: PruneQuery, onlyCounts?: boolean): Promise<number>;
}
