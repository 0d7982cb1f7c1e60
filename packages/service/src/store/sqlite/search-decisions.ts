/** Lists of decisions and daily usage, read from the search index. */
import type { DailyUsage, DecisionCount, DecisionPage, DecisionQuery } from '../port.ts';
import { type DecisionRow, summaryOf } from '../rows.ts';
import type { Db } from './open-database.ts';

const CURSOR = /^(\d{1,15})\.(\d{1,15})$/;

const readCursor = (cursor: string): readonly [atMs: number, position: number] | null => {
  const match = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1'));
  return match === null ? null : [Number(match[1]), Number(match[2])];
};

const cursorAfter = (row: DecisionRow): string =>
  Buffer.from(`${row.at_ms}.${row.position}`).toString('base64url');

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
] as const satisfies readonly (readonly [keyof DecisionQuery, string])[];

export const listDecisions = (search: Db, query: DecisionQuery): DecisionPage => {
  const wanted = ['workspace = (SELECT number FROM workspace WHERE id = ?)'];
  const values: (string | number)[] = [query.workspace];
  for (const [name, condition] of FILTERS) {
    const value = query[name];
    if (value === undefined) continue;
    wanted.push(condition);
    values.push(value);
  }
  // Said in so many words, so that SQLite sees that the indexes of what is no allow will do.
  if (query.decision !== undefined && query.decision !== 'allow') wanted.push("decision <> 'allow'");
  if (query.isWarned) wanted.push('evaluated_decision <> decision');
  const [beyond, order] = query.order === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC'];
  if (query.cursor !== undefined) {
    const cursor = readCursor(query.cursor);
    if (cursor === null) return { kind: 'bad_cursor' };
    wanted.push(`(at_ms, position) ${beyond} (?, ?)`);
    values.push(...cursor);
  }
  const rows = search
    .prepare(
      `SELECT * FROM decision WHERE ${wanted.join(' AND ')} ORDER BY at_ms ${order}, position ${order} LIMIT ?`,
    )
    .all(...values, query.limit + 1) as DecisionRow[];
  const shown = rows.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    kind: 'page',
    decisions: shown.map(summaryOf),
    nextCursor: rows.length > query.limit && last !== undefined ? cursorAfter(last) : null,
  };
};

export const usageByDay = (search: Db, workspace: string, period: string): readonly DailyUsage[] =>
  search
    .prepare(
      `SELECT day, key_id AS keyId, checks FROM daily
       WHERE workspace = (SELECT number FROM workspace WHERE id = @workspace) AND day BETWEEN @period || '-01' AND @period || '-31'
       ORDER BY day, key_id`,
    )
    .all({ workspace, period }) as DailyUsage[];

const HOUR_MS = 3_600_000;
const STEP_MS = { hour: HOUR_MS, day: 24 * HOUR_MS };

export const countDecisions = (
  search: Db,
  workspace: string,
  fromMs: number,
  toMs: number,
  step: keyof typeof STEP_MS,
): readonly DecisionCount[] =>
  search
    .prepare(
      `SELECT hour_ms - hour_ms % @stepMs AS fromMs, sum(allow) AS allow, sum(pause) AS pause, sum(block) AS block,
         sum(warned) AS warned
       FROM hourly WHERE workspace = (SELECT number FROM workspace WHERE id = @workspace)
         AND hour_ms >= @fromMs - @fromMs % ${HOUR_MS} AND hour_ms < @toMs
       GROUP BY 1 ORDER BY 1`,
    )
    .all({ workspace, fromMs, toMs, stepMs: STEP_MS[step] }) as DecisionCount[];
