/** Erasing records from the log: the query, what it finds, and the trace that it leaves. */
import type { Acting } from './acting.ts';
import type { Progress } from './log.ts';

/** An entry is erased if all of these match. */
export interface PruneQuery {
  /** Every workspace if omitted, which only `beforeMs` alone may. */
  readonly workspace?: string;
  /** Entries older than this. */
  readonly beforeMs?: number;
  /** This member and those below select decisions, with their redemptions, outcomes and reviews. */
  readonly objectRef?: string;
  readonly keyId?: string;
  readonly decisionIds?: readonly string[];
  /** A text that their intents mention anywhere, case-insensitively. */
  readonly text?: string;
}

/** `workspace`: all of it, because it was deleted. */
export type ErasureChoice = 'age' | 'decision' | 'key' | 'object' | 'text' | 'workspace';

/** The result of a query. */
export interface Prunable {
  readonly workspace?: string;
  readonly beforeMs?: number;
  readonly chosenBy: readonly ErasureChoice[];
  /** Null: everything older than `beforeMs`. */
  readonly only: { readonly decisions: ReadonlySet<string>; readonly reviews: ReadonlySet<string> } | null;
  /** Those of `only` that an interrupted erasure has named in the log already. */
  readonly traced: ReadonlySet<string>;
  /** Decisions that stay although the query matches them, because a review still needs them. */
  readonly kept: readonly string[];
  /** Its counters and counts go too. */
  readonly isOfDeleted?: true;
  /** How many entries each workspace would lose, and how many of them are decisions. */
  readonly counts: ReadonlyMap<string, { readonly entries: number; readonly decisions: number }>;
}

/** An erasure: its author and the reason. */
export interface Erasure {
  /** `era_...` */
  readonly id: string;
  readonly by: Acting;
  readonly reason: string;
  readonly atMs: number;
}

/** The part of an erasure that one entry of the log names. */
export interface ErasurePart {
  readonly workspace: string;
  readonly chosenBy: readonly ErasureChoice[];
  readonly beforeMs: number | null;
  readonly decisions: readonly string[] | null;
  readonly reviews: readonly string[] | null;
  readonly decisionCount: number;
  readonly entryCount: number;
}

export interface Erasures {
  findPrunable(query: PruneQuery, progress?: Progress): Promise<Prunable>;
  /**
   * Removes the records and leaves that were found from the log and its index, and keeps the leaf hashes.
   * Continuations stay, and so does what open reviews and unused approvals need now. INVARIANT: the log names
   * the erasure before anything is removed. Resolves with how many entries were emptied. If it was interrupted,
   * finding and erasing again completes it.
   */
  prune(found: Prunable, erasure: Erasure, progress?: Progress): Promise<number>;
}
