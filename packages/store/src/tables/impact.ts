/** Impact runs, their reports, and assessments. */
import { notedEntries } from '../commit/new-entries.ts';
import {
  CUT_OFF,
  type FinishedRun,
  type NewRun,
  REPORTS_KEPT_MS,
  type RunProgress,
  type StartRunOutcome,
  type StoredRun,
} from '../port/impact.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { mapping } from './mapping.ts';
import { type Append, append, insertion, part, type Read, sql, text, type Write } from './operation.ts';

export const TABLES = `
CREATE TABLE writecheck.impact_run (
  workspace text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  state text NOT NULL,
  started_ms bigint NOT NULL,
  finished_ms bigint,
  leased_until_ms bigint NOT NULL,
  because text,
  digest text,
  done bigint NOT NULL,
  total bigint NOT NULL,
  settings text NOT NULL,
  report text NOT NULL,
  PRIMARY KEY (workspace, id)
);
-- INVARIANT: one run of a workspace at a time.
CREATE UNIQUE INDEX impact_run_running ON writecheck.impact_run (workspace) WHERE state = 'running';
CREATE INDEX impact_run_by_start ON writecheck.impact_run (started_ms);

CREATE TABLE writecheck.assessment (
  workspace text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  document text NOT NULL,
  PRIMARY KEY (workspace, id)
);

CREATE TABLE writecheck.pruned_day (
  workspace text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  decisions bigint NOT NULL,
  PRIMARY KEY (workspace, day)
) WITHOUT ROWID;
`;

const RUN = mapping<Omit<StoredRun, 'report'>>({
  workspace: 'workspace',
  id: 'id',
  state: 'state',
  startedAtMs: 'started_ms',
  finishedAtMs: 'finished_ms',
  because: 'because',
  digest: 'digest',
  done: 'done',
  total: 'total',
  settings: 'settings',
});

const SUMMARY_COLUMNS = text([...RUN.columns, 'leased_until_ms'].join(', '));

/** The clock for leases: one for all processes. */
const NOW = text('writecheck.lease_now()');

interface RunRow {
  readonly leased_until_ms: number;
  readonly now_ms: number;
}

function summaryOf(row: RunRow): Omit<StoredRun, 'report'> {
  const run = RUN.storedOf(row);
  if (run.state !== 'running' || row.leased_until_ms >= row.now_ms) return run;
  const finishedAtMs = Math.max(run.startedAtMs, row.leased_until_ms);
  return { ...run, state: 'failed', finishedAtMs, because: CUT_OFF };
}

export function* findRun(workspace: string, id: string): Read<StoredRun | null> {
  const [row] = yield* sql<
    RunRow & { readonly report: string }
  >`SELECT *, ${NOW} AS now_ms FROM writecheck.impact_run
    WHERE workspace = ${workspace} AND id = ${id}`;
  return row === undefined ? null : { ...summaryOf(row), report: row.report };
}

/** Runs that ended after `sinceMs` or are still running, newest first, without reports. */
export function* listRuns(
  workspace: string,
  sinceMs: number,
  limit: number,
): Read<readonly Omit<StoredRun, 'report'>[]> {
  const rows = yield* sql<RunRow>`SELECT ${SUMMARY_COLUMNS}, ${NOW} AS now_ms FROM writecheck.impact_run
    WHERE workspace = ${workspace} AND coalesce(finished_ms, leased_until_ms) > ${sinceMs}
    ORDER BY started_ms DESC, id DESC LIMIT ${limit}`;
  return rows.map(summaryOf);
}

/** The document of an assessment. */
export function* findAssessment(workspace: string, id: string): Read<string | null> {
  const [row] = yield* sql<{ readonly document: string }>`SELECT document FROM writecheck.assessment
    WHERE workspace = ${workspace} AND id = ${id}`;
  return row?.document ?? null;
}

/** One run of a workspace at a time, even in a race (a unique index enforces it). */
export function* startRun(run: NewRun, leaseMs: number): Write<StartRunOutcome> {
  const { workspace, id, startedAtMs, done, total, settings, report } = run;
  yield* lockWorkspace(workspace);
  yield* sql`UPDATE writecheck.impact_run SET state = 'failed', because = ${CUT_OFF},
      finished_ms = CASE WHEN started_ms > leased_until_ms THEN started_ms ELSE leased_until_ms END
    WHERE workspace = ${workspace} AND state = 'running' AND leased_until_ms < ${NOW}`;
  const [other] = yield* sql<{ readonly id: string }>`SELECT id FROM writecheck.impact_run
    WHERE workspace = ${workspace} AND state = 'running'`;
  if (other !== undefined) return { kind: 'in_progress', id: other.id };
  yield* sql`INSERT INTO writecheck.impact_run
      (workspace, id, state, started_ms, leased_until_ms, done, total, settings, report)
    VALUES (${workspace}, ${id}, 'running', ${startedAtMs}, ${NOW} + ${leaseMs}, ${done}, ${total}, ${settings}, ${report})`;
  return { kind: 'started' };
}

/** Notes progress and renews the lease; false if the run is no longer running. */
export function* keepRun(
  workspace: string,
  id: string,
  { done, total, report }: RunProgress,
  leaseMs: number,
): Write<boolean> {
  const kept = yield* sql`UPDATE writecheck.impact_run
    SET leased_until_ms = ${NOW} + ${leaseMs}, done = ${done}, total = ${total}, report = ${report}
    WHERE ${running(workspace, id)} RETURNING 1`;
  return kept.length === 1;
}

/** Ends a running run without a digest; false if it is no longer running. */
export function* endRun(
  workspace: string,
  id: string,
  state: 'failed' | 'cancelled',
  because: string | null,
  finishedAtMs: number,
): Write<boolean> {
  const ended = yield* sql`UPDATE writecheck.impact_run
    SET state = ${state}, because = ${because}, finished_ms = ${finishedAtMs}
    WHERE ${running(workspace, id)} RETURNING 1`;
  return ended.length === 1;
}

/** Finishes a run with its assessment and its log entries, in one transaction; false if it is no longer running. */
export function* finishRun(run: FinishedRun): Append<boolean> {
  const { workspace, id, assessment } = run;
  const finished =
    yield* sql`UPDATE writecheck.impact_run SET state = 'done', finished_ms = ${run.finishedAtMs},
      done = ${run.done}, total = ${run.total}, settings = ${run.settings}, report = ${run.report}, digest = ${run.digest}
    WHERE ${running(workspace, id)} RETURNING 1`;
  if (finished.length !== 1) return false;
  if (assessment !== null)
    yield* sql`INSERT INTO writecheck.assessment ${insertion({ workspace, id: assessment.id, document: assessment.document })}`;
  yield* append((log) => notedEntries(log, run.entries));
  return true;
}

/** Removes old reports, for the sweep. */
export function* forgetRuns(nowMs: number): Write<number> {
  const beforeMs = nowMs - REPORTS_KEPT_MS;
  const gone = yield* sql`DELETE FROM writecheck.impact_run
    WHERE started_ms < ${beforeMs} AND state <> 'running' AND finished_ms < ${beforeMs} RETURNING 1`;
  return gone.length;
}

/** Selects a run whose lease its caller still holds. */
function running(workspace: string, id: string) {
  return part`workspace = ${workspace} AND id = ${id} AND state = 'running' AND leased_until_ms >= ${NOW}`;
}
