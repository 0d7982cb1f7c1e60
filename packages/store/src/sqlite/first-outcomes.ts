/** Inserts first reports row by row: a statement for all of a commit would be parsed again each time. */
import { decisionTimeMs } from '../log/decision-time.ts';
import { nameOf } from '../tables/erasures.ts';
import { INSERT_FIRSTS, type InsertFirsts } from '../tables/outcomes.ts';
import type { Db } from './open-database.ts';
import { sqliteText } from './run-operation.ts';

export function prepareFirstOutcomes(db: Db): InsertFirsts {
  const { before, after } = INSERT_FIRSTS;
  const insert = db.prepare(
    sqliteText(`${before} (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ${after} ON CONFLICT DO NOTHING`),
  );
  // biome-ignore lint/correctness/useYield: an operation that runs its own statement.
  return function* insertEach(firsts) {
    const inserted = new Set<string>();
    for (const wish of firsts) {
      const { workspace, decisionId, result, atMs, recordedAtMs, by, note, ref } = wish;
      const row = [workspace, decisionId, result, atMs, recordedAtMs, by.kind, by.id, note, ref];
      if (insert.run(...row, decisionTimeMs(decisionId) ?? 0).changes === 1) inserted.add(nameOf(wish));
    }
    return inserted;
  };
}
