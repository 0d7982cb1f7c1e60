/** Lookups of impact runs in SQLite, on a connection that cannot write. */
import type { StoredRun } from '../port/impact.ts';
import { type RunRow, runOf, SUMMARY_COLUMNS, summaryOf } from '../run-rows.ts';
import type { Db } from './open-database.ts';

export function prepareImpactReads(db: Db) {
  const one = db.prepare('SELECT * FROM impact_run WHERE workspace = ? AND id = ?');
  const newest = db.prepare(
    `SELECT ${SUMMARY_COLUMNS} FROM impact_run WHERE workspace = ? AND coalesce(finished_ms, leased_until_ms) > ?
     ORDER BY started_ms DESC, id DESC LIMIT ?`,
  );
  const assessment = db.prepare('SELECT document FROM assessment WHERE workspace = ? AND id = ?').pluck();
  return {
    findRun(workspace: string, id: string): StoredRun | null {
      const row = one.get(workspace, id) as RunRow | undefined;
      return row === undefined ? null : runOf(row, Date.now());
    },
    listRuns(workspace: string, sinceMs: number, limit: number): readonly Omit<StoredRun, 'report'>[] {
      const rows = newest.all(workspace, sinceMs, limit) as RunRow[];
      return rows.map((row) => summaryOf(row, Date.now()));
    },
    findAssessment: (workspace: string, id: string): string | null =>
      (assessment.get(workspace, id) as string | undefined) ?? null,
  };
}
