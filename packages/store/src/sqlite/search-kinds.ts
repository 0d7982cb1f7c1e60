/** Counts the kinds of decisions that each day has, in the search index of SQLite. */
import { KINDS_A_DAY, type KindOfDay } from '../index/decision-kinds.ts';
import type { Db } from './open-database.ts';

/** The workspace by its number. */
type NumberedKind = Omit<KindOfDay, 'workspace'> & { readonly workspace: number };

const ANY = {
  key_id: '',
  decision: '',
  evaluated_decision: '',
  reason_code: '',
  system: '',
  workflow_id: '',
};
export function prepareCountKind(search: Db): (kind: NumberedKind) => void {
  const count = search.prepare('SELECT count(*) FROM decision_kind WHERE workspace = ? AND day = ?').pluck();
  const add = search.prepare(
    `INSERT INTO decision_kind VALUES (@workspace, @day, @key_id, @decision, @evaluated_decision, @reason_code, @system,
       @workflow_id, @hours) ON CONFLICT DO UPDATE SET hours = hours | excluded.hours`,
  );
  const touch = search.prepare(
    `UPDATE decision_kind SET hours = hours | @hours WHERE workspace = @workspace AND day = @day AND key_id = @key_id
       AND decision = @decision AND evaluated_decision = @evaluated_decision AND reason_code = @reason_code
       AND system = @system AND workflow_id = @workflow_id`,
  );
  return (kind) => {
    if (touch.run(kind).changes > 0) return;
    const isFull = (count.get(kind.workspace, kind.day) as number) >= KINDS_A_DAY;
    add.run(isFull ? { ...kind, ...ANY } : kind);
  };
}
