/** Inserts first reports row by row: a statement for all of a commit would be parsed anew each time. */
import { decisionTimeMs } from '../log/decision-time.ts';
import { type InsertFirsts, nameOf } from '../tables/outcomes.ts';
import type { Db } from './open-database.ts';

export function prepareFirstOutcomes(db: Db): InsertFirsts {
  const insert = db.prepare(`INSERT INTO outcome
      (workspace, decision_id, result, at_ms, recorded_ms, by_kind, by_id, note, ref)
    SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?
    WHERE NOT EXISTS (SELECT 1 FROM erased_decision WHERE workspace = ? AND decision_id = ?)
      AND NOT EXISTS (SELECT 1 FROM erased_before WHERE workspace = ? AND before_ms > ?)
    ON CONFLICT DO NOTHING`);
  // biome-ignore lint/correctness/useYield: an operation that runs its own statement.
  return function* insertEach(wishes) {
    const firsts = new Set<string>();
    for (const wish of wishes) {
      const { workspace, decisionId, result, atMs, recordedAtMs, by, note, ref } = wish;
      const row = [workspace, decisionId, result, atMs, recordedAtMs, by.kind, by.id, note, ref];
      const madeMs = decisionTimeMs(decisionId) ?? 0;
      const { changes } = insert.run(...row, workspace, decisionId, workspace, madeMs);
      if (changes === 1) firsts.add(nameOf(wish));
    }
    return firsts;
  };
}
