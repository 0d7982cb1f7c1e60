/** Impact runs in PostgreSQL, over the pool; finishing one appends to the log and is the log writer's. */
import type { BuiltSegment } from '../commit/segment-builder.ts';
import {
  CUT_OFF,
  type FinishedRun,
  type NewRun,
  REPORTS_KEPT_MS,
  type RunProgress,
  type StartRunOutcome,
  type StoredRun,
} from '../port/impact.ts';
import { type RunRow, runOf, SUMMARY_COLUMNS, summaryOf } from '../run-rows.ts';
import { encodeSegment } from '../segment.ts';
import { placeArguments } from './commit-arguments.ts';
import type { Connections, Query } from './connection.ts';
import { lockWorkspace } from './keys.ts';
import type { HeldLog } from './log-lease.ts';

const NOW = 'writecheck.lease_now_v1()';
const MINE = `workspace = $1 AND id = $2 AND state = 'running' AND leased_until_ms >= ${NOW}`;

type Timed<Row> = Row & { readonly now_ms: number };

export function prepareImpactRuns({ transaction, query }: Connections) {
  return {
    startRun: (run: NewRun, leaseMs: number): Promise<StartRunOutcome> =>
      transaction(async (locked) => {
        await lockWorkspace(locked, run.workspace);
        await locked(
          `UPDATE writecheck.impact_run SET state = 'failed', because = $2, finished_ms = greatest(started_ms, leased_until_ms)
           WHERE workspace = $1 AND state = 'running' AND leased_until_ms < ${NOW}`,
          [run.workspace, CUT_OFF],
        );
        const [other] = await locked<{ readonly id: string }>(
          "SELECT id FROM writecheck.impact_run WHERE workspace = $1 AND state = 'running'",
          [run.workspace],
        );
        if (other !== undefined) return { kind: 'in_progress', id: other.id };
        await locked(
          `INSERT INTO writecheck.impact_run VALUES ($1, $2, 'running', $3, NULL, ${NOW} + $4, NULL, NULL, $5, $6, $7, $8)`,
          [run.workspace, run.id, run.startedAtMs, leaseMs, run.done, run.total, run.settings, run.report],
        );
        return { kind: 'started' };
      }),
    async keepRun(
      workspace: string,
      id: string,
      { done, total, report }: RunProgress,
      leaseMs: number,
    ): Promise<boolean> {
      const kept = await query(
        `UPDATE writecheck.impact_run SET leased_until_ms = ${NOW} + $3, done = $4, total = $5, report = $6
         WHERE ${MINE} RETURNING 1`,
        [workspace, id, leaseMs, done, total, report],
      );
      return kept.length === 1;
    },
    async endRun(
      workspace: string,
      id: string,
      state: 'failed' | 'cancelled',
      because: string | null,
      finishedAtMs: number,
    ): Promise<boolean> {
      const ended = await query(
        `UPDATE writecheck.impact_run SET state = $3, because = $4, finished_ms = $5 WHERE ${MINE} RETURNING 1`,
        [workspace, id, state, because, finishedAtMs],
      );
      return ended.length === 1;
    },
    async findRun(workspace: string, id: string): Promise<StoredRun | null> {
      const [row] = await query<Timed<RunRow>>(
        `SELECT *, ${NOW} AS now_ms FROM writecheck.impact_run WHERE workspace = $1 AND id = $2`,
        [workspace, id],
      );
      return row === undefined ? null : runOf(row, row.now_ms);
    },
    async listRuns(
      workspace: string,
      sinceMs: number,
      limit: number,
    ): Promise<readonly Omit<StoredRun, 'report'>[]> {
      const rows = await query<Timed<RunRow>>(
        `SELECT ${SUMMARY_COLUMNS}, ${NOW} AS now_ms FROM writecheck.impact_run
         WHERE workspace = $1 AND coalesce(finished_ms, leased_until_ms) > $2
         ORDER BY started_ms DESC, id DESC LIMIT $3`,
        [workspace, sinceMs, limit],
      );
      return rows.map((row) => summaryOf(row, row.now_ms));
    },
    async findAssessment(workspace: string, id: string): Promise<string | null> {
      const [row] = await query<{ readonly document: string }>(
        'SELECT document FROM writecheck.assessment WHERE workspace = $1 AND id = $2',
        [workspace, id],
      );
      return row?.document ?? null;
    },
  };
}

/** Removes old reports, for the sweep. */
export async function forgetRuns(query: Query, nowMs: number): Promise<number> {
  const gone = await query(
    `DELETE FROM writecheck.impact_run WHERE started_ms < $1 AND state <> 'running' AND finished_ms < $1 RETURNING 1`,
    [nowMs - REPORTS_KEPT_MS],
  );
  return gone.length;
}

export function finishRunArguments(log: HeldLog, segment: BuiltSegment, run: FinishedRun) {
  return {
    ...placeArguments(log, segment),
    p_count: segment.entries.length,
    p_oldest_ms: segment.oldestMs,
    p_latest_ms: segment.latestMs,
    p_leaf_hashes: segment.leafHashes,
    p_body: encodeSegment(segment.entries),
    p_workspace: run.workspace,
    p_id: run.id,
    p_finished_ms: run.finishedAtMs,
    p_done: run.done,
    p_total: run.total,
    p_settings: run.settings,
    p_report: run.report,
    p_digest: run.digest,
    p_assessment_id: run.assessment?.id ?? null,
    p_assessment: run.assessment?.document ?? null,
  };
}
