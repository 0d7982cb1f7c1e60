/** Lists of decisions and daily usage, read from the search index. */
import { pageOf, readCursor } from '../index/cursor.ts';
import { HOUR_MS } from '../index/index-rows.ts';
import type { DailyUsage, DecisionCount, DecisionPage, DecisionQuery, DecisionSummary } from '../port.ts';
import { type DecisionRow, summaryOf } from '../rows.ts';
import type { Query } from './connection.ts';
import { originalText, storableText } from './storable-text.ts';

function originalSummary(row: DecisionRow): DecisionSummary {
  return summaryOf({ ...row, object_ref: row.object_ref === null ? null : originalText(row.object_ref) });
}

const FILTERS = [
  ['keyId', (at) => `key_id = ${at}`],
  ['decision', (at) => `decision = ${at}`],
  ['reasonCode', (at) => `reason_code = ${at}`],
  ['system', (at) => `system = ${at}`],
  // The hash uses the index, the text confirms the match.
  ['objectRef', (at) => `md5(object_ref) = md5(${at}) AND object_ref = ${at}`],
  ['workflowId', (at) => `workflow_id = ${at}`],
  ['runId', (at) => `run_id = ${at}`],
  ['fromMs', (at) => `at_ms >= ${at}`],
  ['toMs', (at) => `at_ms < ${at}`],
] as const satisfies readonly (readonly [keyof DecisionQuery, (at: string) => string])[];

export async function listDecisions(query: Query, asked: DecisionQuery): Promise<DecisionPage> {
  const values: unknown[] = [asked.workspace];
  const wanted = ['workspace = $1'];
  const place = (value: unknown): string => `$${values.push(value)}`;
  for (const [name, condition] of FILTERS) {
    const value = asked[name];
    if (value === undefined) continue;
    const stored = typeof value === 'string' ? storableText(value) : value;
    // A value with a NUL equals nothing in the other columns, and the server would refuse to compare it.
    const isAsStored = name === 'objectRef' || (typeof value === 'string' && value.includes('\0'));
    wanted.push(condition(place(isAsStored ? stored : value)));
  }
  // Stated explicitly so that the planner can use the partial indexes.
  if (asked.decision !== undefined && asked.decision !== 'allow') wanted.push("decision <> 'allow'");
  if (asked.isWarned) wanted.push('evaluated_decision <> decision');
  const [beyond, order] = asked.order === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC'];
  if (asked.cursor !== undefined) {
    const cursor = readCursor(asked.cursor);
    if (cursor === null) return { kind: 'bad_cursor' };
    wanted.push(`(at_ms, position) ${beyond} (${place(cursor.atMs)}, ${place(cursor.position)})`);
  }
  const rows = await query<DecisionRow>(
    `SELECT * FROM writecheck.decision WHERE ${wanted.join(' AND ')}
     ORDER BY at_ms ${order}, position ${order} LIMIT ${place(asked.limit + 1)}`,
    values,
  );
  return pageOf(rows, asked.limit, originalSummary);
}

export function usageByDay(query: Query, workspace: string, period: string): Promise<readonly DailyUsage[]> {
  return query<DailyUsage>(
    `SELECT day, key_id AS "keyId", checks FROM writecheck.daily
     WHERE workspace = $1 AND day BETWEEN $2 || '-01' AND $2 || '-31' ORDER BY day, key_id`,
    [workspace, period],
  );
}

const STEP_MS = { hour: HOUR_MS, day: 24 * HOUR_MS };

export function countDecisions(
  query: Query,
  workspace: string,
  fromMs: number,
  toMs: number,
  step: keyof typeof STEP_MS,
): Promise<readonly DecisionCount[]> {
  return query<DecisionCount>(
    `SELECT hour_ms - hour_ms % $4::bigint AS "fromMs", sum(allow)::bigint AS allow, sum(pause)::bigint AS pause,
       sum(block)::bigint AS block, sum(warned)::bigint AS warned
     FROM writecheck.hourly WHERE workspace = $1 AND hour_ms >= $2 AND hour_ms < $3 GROUP BY 1 ORDER BY 1`,
    [workspace, fromMs - (fromMs % HOUR_MS), toMs, STEP_MS[step]],
  );
}
