/** The kinds of decisions that each day has, in the search index of SQLite. */
import { KINDS_A_DAY, type KindOfDay, type Run, runsOf } from '../index/decision-kinds.ts';
import type { DecisionQuery } from '../port.ts';
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
const DAYS_AT_ONCE = 64;

export function prepareCountKind(search: Db): (kind: NumberedKind) => void {
  const count = search.prepare('SELECT count(*) FROM kind WHERE workspace = ? AND day = ?').pluck();
  const add = search.prepare(
    `INSERT INTO kind VALUES (@workspace, @day, @key_id, @decision, @evaluated_decision, @reason_code, @system,
       @workflow_id, @hours) ON CONFLICT DO UPDATE SET hours = hours | excluded.hours`,
  );
  const touch = search.prepare(
    `UPDATE kind SET hours = hours | @hours WHERE workspace = @workspace AND day = @day AND key_id = @key_id
       AND decision = @decision AND evaluated_decision = @evaluated_decision AND reason_code = @reason_code
       AND system = @system AND workflow_id = @workflow_id`,
  );
  return (kind) => {
    if (touch.run(kind).changes > 0) return;
    const isFull = (count.get(kind.workspace, kind.day) as number) >= KINDS_A_DAY;
    add.run(isFull ? { ...kind, ...ANY } : kind);
  };
}

const FILTERS = [
  ['keyId', 'key_id = ?'],
  ['decision', 'decision = ?'],
  ['reasonCode', 'reason_code = ?'],
  ['system', 'system = ?'],
  ['workflowId', 'workflow_id = ?'],
] as const satisfies readonly (readonly [keyof DecisionQuery, string])[];

/** The times at which decisions of this kind may have been made, a few days at a time, in the order of the list. */
export function* timesOf(
  search: Db,
  query: DecisionQuery,
  days: { readonly first: number; readonly last: number },
): Generator<Run> {
  const wanted = query.isWarned ? ['evaluated_decision <> decision'] : [];
  const values: string[] = [];
  for (const [name, condition] of FILTERS) {
    const value = query[name];
    if (value === undefined) continue;
    wanted.push(condition);
    values.push(value);
  }
  const order = query.order ?? 'newest';
  const read = search.prepare(
    `SELECT day, hours FROM kind WHERE workspace = (SELECT number FROM workspace WHERE id = ?) AND day BETWEEN ? AND ?
       AND (key_id = '' OR (${wanted.join(' AND ')})) ORDER BY day ${order === 'oldest' ? 'ASC' : 'DESC'}`,
  );
  for (let { first, last } = days; first <= last; ) {
    const some = new Map<number, number>();
    for (const row of read.iterate(query.workspace, first, last, ...values)) {
      const { day, hours } = row as { readonly day: number; readonly hours: number };
      if (!some.has(day) && some.size === DAYS_AT_ONCE) break;
      some.set(day, (some.get(day) ?? 0) | hours);
    }
    yield* runsOf(
      [...some].map(([day, hours]) => ({ day, hours })),
      order,
    );
    if (some.size < DAYS_AT_ONCE) return;
    const reached = [...some.keys()].at(-1)!;
    if (order === 'oldest') first = reached + 1;
    else last = reached - 1;
  }
}
