/** Impact runs as rows, the same in both databases. */
import type { RunState } from '@writecheck/contract';
import { CUT_OFF, type StoredRun } from './port/impact.ts';

export interface RunRow {
  readonly workspace: string;
  readonly id: string;
  readonly state: string;
  readonly started_ms: number;
  readonly finished_ms: number | null;
  readonly leased_until_ms: number;
  readonly because: string | null;
  readonly digest: string | null;
  readonly done: number;
  readonly total: number;
  readonly settings: string;
  readonly report: string;
}

export const SUMMARY_COLUMNS =
  'workspace, id, state, started_ms, finished_ms, leased_until_ms, because, digest, done, total, settings';

/** `nowMs` is by the clock that the leases go by. */
export function summaryOf(row: Omit<RunRow, 'report'>, nowMs: number): Omit<StoredRun, 'report'> {
  const isCutOff = row.state === 'running' && row.leased_until_ms < nowMs;
  return {
    workspace: row.workspace,
    id: row.id,
    state: isCutOff ? 'failed' : (row.state as RunState),
    startedAtMs: row.started_ms,
    finishedAtMs: isCutOff ? Math.max(row.started_ms, row.leased_until_ms) : row.finished_ms,
    because: isCutOff ? CUT_OFF : row.because,
    digest: row.digest,
    done: row.done,
    total: row.total,
    settings: row.settings,
  };
}

export function runOf(row: RunRow, nowMs: number): StoredRun {
  return { ...summaryOf(row, nowMs), report: row.report };
}
