/** Lists of decisions and daily usage, read from the search index. */
import { pageOf, readCursor } from '../index/cursor.ts';
import { daysOf, isByKind } from '../index/decision-kinds.ts';
import { HOUR_MS } from '../index/index-rows.ts';
import type { DailyUsage, DecisionCount, DecisionPage, DecisionQuery, OpenAllows } from '../port.ts';
import { type DecisionRow, summaryOf } from '../rows.ts';
import type { Db } from './open-database.ts';
import { timesOf } from './search-kinds.ts';

const FILTERS = [
  ['keyId', 'key_id = ?'],
  ['decision', 'decision = ?'],
  ['reasonCode', 'reason_code = ?'],
  ['system', 'system = ?'],
  ['objectRef', 'object_ref = ?'],
  ['workflowId', 'workflow_id = ?'],
  ['runId', 'run_id = ?'],
  ['fromMs', 'at_ms >= ?'],
  ['toMs', 'at_ms < ?'],
  ['overAtMs', 'coalesce(valid_until_ms, 0) <= ?'],
] as const satisfies readonly (readonly [keyof DecisionQuery, string])[];

export function listDecisions(search: Db, query: DecisionQuery): DecisionPage {
  const wanted = ['workspace = (SELECT number FROM workspace WHERE id = ?)'];
  const values: (string | number)[] = [query.workspace];
  for (const [name, condition] of FILTERS) {
    const value = query[name];
    if (value === undefined) continue;
    wanted.push(condition);
    values.push(value);
  }
  // Stated explicitly so that the planner can use the partial indexes.
  if (query.decision !== undefined && query.decision !== 'allow') wanted.push("decision <> 'allow'");
  if (query.isWarned) wanted.push('evaluated_decision <> decision');
  const [beyond, order] = query.order === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC'];
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor);
  if (cursor === null) return { kind: 'bad_cursor' };
  if (cursor !== undefined) {
    wanted.push(`(at_ms, position) ${beyond} (?, ?)`);
    values.push(cursor.atMs, cursor.position);
  }
  const read = (extra: string) =>
    search.prepare(
      `SELECT * FROM decision WHERE ${wanted.join(' AND ')} ${extra} ORDER BY at_ms ${order}, position ${order} LIMIT ?`,
    );
  const rows: DecisionRow[] = [];
  if (isByKind(query)) {
    const within = read('AND at_ms >= ? AND at_ms < ?');
    for (const { fromMs, toMs } of timesOf(search, query, daysOf(query, cursor?.atMs ?? null))) {
      rows.push(...(within.all(...values, fromMs, toMs, query.limit + 1 - rows.length) as DecisionRow[]));
      if (rows.length > query.limit) break;
    }
  } else rows.push(...(read('').all(...values, query.limit + 1) as DecisionRow[]));
  return pageOf(rows, query.limit, summaryOf);
}

/** `main` is the database itself, which has the redemptions. */
export function openAllows(
  main: Db,
  search: Db,
  workspace: string,
  fromMs: number,
  atMs: number,
): readonly OpenAllows[] {
  // Ids begin with their time.
  const redeemed = main
    .prepare(
      'SELECT decision_id FROM redemption WHERE workspace = ? AND decision_id >= ? AND decision_id < ?',
    )
    .pluck()
    .all(workspace, idAt(fromMs), idAt(atMs + 1));
  return search
    .prepare(
      `SELECT key_id AS keyId, system, object_type AS objectType, field, operation, workflow_id AS workflowId,
         count(*) AS count, sum(decision_id IN (SELECT value FROM json_each(@redeemed))) AS redeemed
       FROM decision WHERE workspace = (SELECT number FROM workspace WHERE id = @workspace)
         AND at_ms BETWEEN @fromMs AND @atMs AND decision = 'allow' AND valid_until_ms > @atMs
       GROUP BY 1, 2, 3, 4, 5, 6`,
    )
    .all({ workspace, fromMs, atMs, redeemed: JSON.stringify(redeemed) }) as OpenAllows[];
}

function idAt(atMs: number): string {
  return `dec_${atMs.toString(16).padStart(12, '0')}`;
}

export function usageByDay(search: Db, workspace: string, period: string): readonly DailyUsage[] {
  return search
    .prepare(
      `SELECT day, key_id AS keyId, checks FROM daily
       WHERE workspace = (SELECT number FROM workspace WHERE id = @workspace) AND day BETWEEN @period || '-01' AND @period || '-31'
       ORDER BY day, key_id`,
    )
    .all({ workspace, period }) as DailyUsage[];
}

const STEP_MS = { hour: HOUR_MS, day: 24 * HOUR_MS };

export function countDecisions(
  search: Db,
  workspace: string,
  fromMs: number,
  toMs: number,
  step: keyof typeof STEP_MS,
): readonly DecisionCount[] {
  return search
    .prepare(
      `SELECT hour_ms - hour_ms % @stepMs AS fromMs, sum(allow) AS allow, sum(pause) AS pause, sum(block) AS block,
         sum(warned) AS warned
       FROM hourly WHERE workspace = (SELECT number FROM workspace WHERE id = @workspace)
         AND hour_ms >= @fromMs - @fromMs % ${HOUR_MS} AND hour_ms < @toMs
       GROUP BY 1 ORDER BY 1`,
    )
    .all({ workspace, fromMs, toMs, stepMs: STEP_MS[step] }) as DecisionCount[];
}
