/** Changes of impact runs in SQLite, each one transaction. */
import { notedEntries } from '../commit/new-entries.ts';
import {
  CUT_OFF,
  type FinishedRun,
  type NewRun,
  REPORTS_KEPT_MS,
  type RunProgress,
  type StartRunOutcome,
} from '../port/impact.ts';
import { prepareAppendEntries } from './append-entry.ts';
import type { Db } from './open-database.ts';

export function prepareImpactWrites(db: Db, log: string) {
  const endCutOff = db.prepare(
    `UPDATE impact_run SET state = 'failed', because = '${CUT_OFF}', finished_ms = max(started_ms, leased_until_ms)
     WHERE workspace = ? AND state = 'running' AND leased_until_ms < ?`,
  );
  const running = db.prepare("SELECT id FROM impact_run WHERE workspace = ? AND state = 'running'").pluck();
  const insert = db.prepare(
    `INSERT INTO impact_run VALUES (@workspace, @id, 'running', @startedAtMs, NULL, @leasedUntilMs, NULL, NULL, @done,
       @total, @settings, @report)`,
  );
  const mine = "workspace = @workspace AND id = @id AND state = 'running' AND leased_until_ms >= @nowMs";
  const keep = db.prepare(
    `UPDATE impact_run SET leased_until_ms = @leasedUntilMs, done = @done, total = @total, report = @report
     WHERE ${mine}`,
  );
  const end = db.prepare(
    `UPDATE impact_run SET state = @state, because = @because, finished_ms = @finishedAtMs WHERE ${mine}`,
  );
  const finish = db.prepare(
    `UPDATE impact_run SET state = 'done', finished_ms = @finishedAtMs, done = @done, total = @total,
       settings = @settings, report = @report, digest = @digest WHERE ${mine}`,
  );
  const insertAssessment = db.prepare('INSERT INTO assessment VALUES (?, ?, ?)');
  const append = prepareAppendEntries(db);
  return {
    startRun(run: NewRun, leaseMs: number): StartRunOutcome {
      const nowMs = Date.now();
      endCutOff.run(run.workspace, nowMs);
      const other = running.get(run.workspace) as string | undefined;
      if (other !== undefined) return { kind: 'in_progress', id: other };
      insert.run({ ...run, leasedUntilMs: nowMs + leaseMs });
      return { kind: 'started' };
    },
    keepRun(workspace: string, id: string, progress: RunProgress, leaseMs: number): boolean {
      const nowMs = Date.now();
      return keep.run({ ...progress, workspace, id, nowMs, leasedUntilMs: nowMs + leaseMs }).changes === 1;
    },
    endRun(
      workspace: string,
      id: string,
      state: 'failed' | 'cancelled',
      because: string | null,
      finishedAtMs: number,
    ): boolean {
      return end.run({ workspace, id, state, because, finishedAtMs, nowMs: Date.now() }).changes === 1;
    },
    finishRun({ assessment, entries, ...run }: FinishedRun): boolean {
      if (finish.run({ ...run, nowMs: Date.now() }).changes !== 1) return false;
      if (assessment !== null) insertAssessment.run(run.workspace, assessment.id, assessment.document);
      append(log, notedEntries(log, entries));
      return true;
    },
  };
}

/** Removes old reports, for the sweep. */
export function prepareForgetRuns(db: Db) {
  const drop = db.prepare(
    "DELETE FROM impact_run WHERE started_ms < ? AND state <> 'running' AND finished_ms < ?",
  );
  return (nowMs: number): number => {
    const beforeMs = nowMs - REPORTS_KEPT_MS;
    return drop.run(beforeMs, beforeMs).changes;
  };
}
