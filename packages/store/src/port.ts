/** The store as everything above sees it: one interface for SQLite and PostgreSQL. */
import type { ForkAlarm } from './append-guard.ts';
import type { Change } from './port/changes.ts';
import type { Decisions } from './port/decisions.ts';
import type { Erasures } from './port/erasures.ts';
import type { StoreFigures } from './port/figures.ts';
import type { Limits } from './port/limits.ts';
import type { LogKeeping } from './port/log.ts';
import type { LogPlace } from './port/log-reading.ts';
import type { StoreSharing } from './port/sharing.ts';
import type { UsageReading } from './port/usage.ts';
import type { NotableReading } from './port/webhooks.ts';
import type { WorkspaceDeletion } from './port/workspaces.ts';
import type { Methods } from './tables/operation.ts';
import type { APPENDING, READS, WRITES } from './tables/operations.ts';

export type { Change } from './port/changes.ts';
export {
  type CommitRequest,
  type CommitResult,
  type Committed,
  type DecidingBundle,
  decisionIn,
  holdsKey,
  type IdempotencyBinding,
  isResponseTo,
  type ReplayableWhile,
  type StoredAnswer,
  UNTAKEN,
} from './port/commit.ts';
export type {
  DecisionPage,
  DecisionQuery,
  DecisionSummary,
  Decisions,
  LoggedRecord,
  OpenAllows,
} from './port/decisions.ts';
export type { Erasure, Prunable, PruneQuery } from './port/erasures.ts';
export { StoreUnavailable } from './port/failure.ts';
export {
  type CheckingKeyKind,
  type FoundKey,
  type KeyKind,
  type NewKey,
  type NewWorkspace,
  type Owner,
  type StoredKey,
  UNREVOKED_KEYS_MAX,
  type Workspace,
  type WorkspaceStanding,
} from './port/keys.ts';
export {
  counterPlace,
  type EntryLimits,
  groupPlace,
  type StoredDraws,
} from './port/limits.ts';
export type {
  Continuation,
  KnownSize,
  LoggedEntry,
  LogHead,
  LogKeeping,
  Progress,
  Segment,
  StoredCheckpoint,
} from './port/log.ts';
export type {
  PolicyRevision,
  StoredPolicy,
} from './port/policies.ts';
export type {
  RedeemOutcome,
  Redemption,
} from './port/redemptions.ts';

/** Every operation of `tables/` as a method, and what each database does differently. */
export interface Store
  extends Methods<typeof READS & typeof WRITES & typeof APPENDING>,
    Decisions,
    UsageReading,
    Limits,
    LogKeeping,
    Erasures,
    WorkspaceDeletion,
    NotableReading {
  /** Where a thread that reads the log at length finds it. */
  readonly logPlace: LogPlace;
  /** Set if only this store's own threads write, so that other threads of this process write through them. */
  readonly sharing?: StoreSharing;
  /**
   * Calls back within half a second of every change, made by this process or another. Returns a function that
   * stops it. `unchanged` is called after every poll that found nothing: an earlier read that was not announced
   * as changed since was valid at least until `atMs`, by `performance.now()`.
   */
  watch(listener: (change: Change) => void, unchanged?: (atMs: number) => void): () => void;
  /**
   * Once the alarm is raised, nothing is appended to the log, appends in progress are not acknowledged, and no
   * kept response is found.
   */
  guardAppending(alarm: ForkAlarm): void;
  /** Tries a real write; `why` names the error and the fix. */
  health(): Promise<{ readonly kind: 'ok' } | { readonly kind: 'failing'; readonly why: string }>;
  /** Sizes for an operator; may take a moment. */
  figures(): Promise<StoreFigures>;
  /** Removes a batch of expired rows, such as idempotency rows; resolves with their number, 0 once none is left. */
  sweep(nowMs: number): Promise<number>;
  /** Finishes work in progress, then releases every file and thread. */
  close(): Promise<void>;
}
