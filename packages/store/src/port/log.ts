/** The log: its segments, its tree and its signatures. */
import type { Subtree } from '@writecheck/ledger/log';

export interface LogHead {
  readonly log: string;
  /** Number of leaves. */
  readonly size: number;
  /** Roots of the perfect subtrees of the tree, left to right, 32 bytes each. */
  readonly frontier: Uint8Array;
  readonly newestAtMs: number;
  /** Whether entries may still be appended to it; omitted by a store in which only one log, `log`, is ever open. */
  readonly isOpen?: boolean;
}

/** One commit's part of a log. */
export interface Segment {
  readonly log: string;
  readonly firstIndex: number;
  /** Both are empty if an entry was pruned; its hash stays. Only decisions have a record. */
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

/** That a log had this many recorded entries. */
export interface KnownSize {
  readonly log: string;
  readonly size: number;
}

/** An entry with its place in the tree of its log. */
export interface LoggedEntry {
  readonly log: string;
  readonly leafIndex: number;
  /** How many leaves the log had right after this one's commit. */
  readonly treeSize: number;
  readonly leaf: Uint8Array;
}

export interface Continuation {
  /** The name of the new log. */
  readonly log: string;
  /** The entry it begins with. */
  readonly leaf: Uint8Array;
  readonly atMs: number;
  /** The log it continues from, and how many leaves that log must have now. */
  readonly from: { readonly log: string; readonly size: number };
}

/** Called after each piece of long work: how much is done, of how much as far as known. */
export type Progress = (done: number, total: number) => void;

export interface LogKeeping {
  /**
   * Entries of what a workspace's people and owner keys changed at exactly this moment; decisions are found by their
   * id.
   */
  entriesAt(workspace: string, atMs: number): Promise<readonly LoggedEntry[]>;
  /**
   * Roots of complete subtrees within the log, in the requested order. They never change, so those that were read before
   * are remembered; `mustReread` reads what is stored now.
   */
  subtreeHashes(
    log: string,
    subtrees: readonly Subtree[],
    mustReread?: boolean,
  ): Promise<readonly Uint8Array[]>;
  /**
   * Begins a new log after each of these, all or none; false if one is no longer open or has grown. From then
   * on the loss counts as restored. Takes effect after a restart.
   */
  continueLogs(continuations: readonly Continuation[]): Promise<boolean>;
  /**
   * Entries that some process knew to be recorded and the logs lack, for example after a failover that lost
   * commits. Until the logs are continued, nothing is appended to any of them.
   */
  lostEntries(): Promise<readonly KnownSize[]>;
  /** Tells every process. */
  reportLost(known: KnownSize): Promise<void>;
  /**
   * The time until which processes hold logs of this store; null if none does, or if the store cannot tell. A running
   * process extends it every few seconds.
   */
  heldUntilMs(): Promise<number | null>;
}
