/**
 * Impact runs, their reports, and assessments. A run belongs to the process that keeps its lease: a run whose lease
 * has lapsed is failed, whether or not anybody has noted it.
 */
import { DAY_MS, type RunState } from '@writecheck/contract';
import type { ImpactEntry } from '@writecheck/ledger/log';

/** Reports are kept this long after their run ended. */
export const REPORTS_KEPT_MS = 90 * DAY_MS;

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
  /** JSON: the request. */
  readonly settings: string;
}

export interface StoredRun extends NewRun {
  readonly state: RunState;
  readonly finishedAtMs: number | null;
  /** Why it failed. */
  readonly because: string | null;
  /** The report's digest; null unless it is done. */
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
