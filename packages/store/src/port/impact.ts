/**
 * Impact runs, their reports, and assessments. A run belongs to the process that keeps its lease: a run whose lease
 * has lapsed is failed, whether or not anybody has noted it.
 */
import type { RunState } from '@writecheck/contract';
import type { ImpactEntry } from '@writecheck/ledger';

/** Reports are kept this long after their run ended. */
export const REPORTS_KEPT_MS = 90 * 24 * 60 * 60 * 1_000;

export const CUT_OFF = 'the service stopped while it ran; start it again';

export interface RunProgress {
  readonly done: number;
  readonly total: number;
  /** JSON. */
  readonly report: string;
}

export interface NewRun extends RunProgress {
  readonly workspace: string;
  /** `imp_...` */
  readonly id: string;
  readonly startedAtMs: number;
  /** JSON: what was asked. */
  readonly settings: string;
}

export interface StoredRun extends NewRun {
  readonly state: RunState;
  readonly finishedAtMs: number | null;
  /** Why it failed. */
  readonly because: string | null;
  /** Of the report; null unless it is done. */
  readonly digest: string | null;
}

export type StartRunOutcome =
  | { readonly kind: 'started' }
  | { readonly kind: 'in_progress'; readonly id: string };

export interface FinishedRun extends RunProgress {
  readonly workspace: string;
  readonly id: string;
  readonly finishedAtMs: number;
  readonly settings: string;
  readonly digest: string;
  readonly assessment: { readonly id: string; readonly document: string } | null;
  readonly entries: readonly ImpactEntry[];
}

export interface ImpactRuns {
  /** One run of a workspace at a time, whatever races (a unique index enforces it). */
  startRun(run: NewRun, leaseMs: number): Promise<StartRunOutcome>;
  /** Notes progress and renews the lease; false if the run is no longer running. */
  keepRun(workspace: string, id: string, progress: RunProgress, leaseMs: number): Promise<boolean>;
  /** Ends a running one without a digest; false if it is no longer running. */
  endRun(
    workspace: string,
    id: string,
    state: 'failed' | 'cancelled',
    because: string | null,
    finishedAtMs: number,
  ): Promise<boolean>;
  /** Done, with its assessment and its log entries, in one transaction; false if it is no longer running. */
  finishRun(finished: FinishedRun): Promise<boolean>;
  findRun(workspace: string, id: string): Promise<StoredRun | null>;
  /** Those that ended after `sinceMs` or still run, newest first, without reports. */
  listRuns(workspace: string, sinceMs: number, limit: number): Promise<readonly Omit<StoredRun, 'report'>[]>;
  /** The document of an assessment. */
  findAssessment(workspace: string, id: string): Promise<string | null>;
}
