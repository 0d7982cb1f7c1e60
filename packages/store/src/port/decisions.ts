/** Decisions: committing, finding and listing them. */
import type { Decision } from '@writecheck/contract';
import type { CommitRequest, CommitResult } from './commit.ts';
import type { LoggedEntry, Progress } from './log.ts';
import type { NewOutcome, OutcomeRecorded } from './outcomes.ts';

/** A record as the log stores it. */
export interface LoggedRecord extends LoggedEntry {
  readonly record: Uint8Array;
}

/** The members of a decision that lists show and filter by. */
export interface DecisionSummary {
  readonly decisionId: string;
  readonly auditId: string;
  readonly keyId: string;
  readonly atMs: number;
  readonly timestamp: string;
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reasonCode: string;
  readonly system: string;
  readonly objectType: string | null;
  readonly objectRef: string | null;
  readonly field: string | null;
  readonly operation: string | null;
  readonly workflowId: string | null;
  readonly runId: string | null;
}

export interface DecisionQuery {
  readonly workspace: string;
  /** Selects decisions for this key: all that a checking key may see. */
  readonly keyId?: string;
  readonly decision?: Decision;
  readonly reasonCode?: string;
  readonly system?: string;
  readonly objectRef?: string;
  readonly workflowId?: string;
  readonly runId?: string;
  /** Inclusive. */
  readonly fromMs?: number;
  /** Exclusive. */
  readonly toMs?: number;
  /** Selects decisions that were no longer valid at this time. */
  readonly overAtMs?: number;
  /** Selects decisions whose evaluated decision differs, which enforcing everything would change. */
  readonly isWarned?: true;
  /** Newest first if omitted. */
  readonly order?: 'newest' | 'oldest';
  /** A `nextCursor` of an earlier page. */
  readonly cursor?: string;
  readonly limit: number;
}

/** How many allows name the same target and come from the same key. */
export interface OpenAllows
  extends Pick<DecisionSummary, 'keyId' | 'system' | 'objectType' | 'field' | 'operation' | 'workflowId'> {
  readonly count: number;
  readonly redeemed: number;
}

export type DecisionPage =
  | {
      readonly kind: 'page';
      /** The decisions in the requested order. */
      readonly decisions: readonly DecisionSummary[];
      /** Null at the end. */
      readonly nextCursor: string | null;
    }
  | { readonly kind: 'bad_cursor' };

/** One for each request and for each reported outcome, in order. */
export interface CommittedTogether {
  readonly decided: readonly CommitResult[];
  readonly recorded: readonly OutcomeRecorded[];
}

export interface Decisions {
  /** The log this process appends to; it may change. A record's leaf names the log that contains it. */
  readonly log: string;
  /**
   * Makes all these requests and reported outcomes durable in one transaction and one sync; each result in
   * order. Quota, idempotency keys and single-use attestations are decided inside the transaction, so they hold
   * against every other process on the same store. Committed entries get consecutive leaf indexes.
   */
  commit(requests: readonly CommitRequest[], reports: readonly NewOutcome[]): Promise<CommittedTogether>;
  /** Set if a commit is work for a local thread rather than a wait for a remote server. */
  readonly commitsBeside?: true;
  /** Set if a commit that finds a used key does not delay the others in it. */
  readonly commitFindsTwins?: true;
  /**
   * Called once a second. `clockMs` is the database's own clock; null if it has none besides this machine's. A store
   * that several machines share compares its logs with what this process saw of them before.
   */
  look(): Promise<{ readonly newestAtMs: number; readonly clockMs: number | null }>;
  /** Finds every decision that was returned, even if the search index has not caught up. */
  findDecision(workspace: string, decisionId: string): Promise<LoggedRecord | null>;
  /** Includes every decision that was returned before the call. */
  listDecisions(query: DecisionQuery): Promise<DecisionPage>;
  /** The allows of this time, both ends included, that were still valid at its end. */
  openAllows(workspace: string, fromMs: number, atMs: number): Promise<readonly OpenAllows[]>;
  /** Discards the search index and rebuilds it from the log; resolves with the number of records indexed. */
  rebuildIndex(progress?: Progress): Promise<number>;
}
