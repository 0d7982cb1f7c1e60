/** Lists of decisions and daily usage, read from the search index. */
import { pageOf, readCursor } from '../index/cursor.ts';
import { daysOf, isByKind } from '../index/decision-kinds.ts';
import { HOUR_MS } from '../index/index-rows.ts';
import type {
  DailyUsage,
  DecisionCount,
  DecisionPage,
  DecisionQuery,
  DecisionSummary,
  OpenAllows,
} from '../port.ts';
import { type DecisionRow, summaryOf } from '../rows.ts';
import type { Query } from './connection.ts';
import { timesOf } from './search-kinds.ts';
import { originalText, storableText } from './storable-text.ts';

function originalSummary(row: DecisionRow): DecisionSummary {
  return summaryOf({ ...row, object_ref: row.object_ref === null ? null : originalText(row.object_ref) });
}

type Filter = readonly [keyof DecisionQuery, (at: string) => string];

const KIND_FILTERS = [
  ['keyId', (at) => `key_id = ${at}`],
  ['decision', (at) => `decision = ${at}`],
  ['reasonCode', (at) => `reason_code = ${at}`],
  ['system', (at) => `system = ${at}`],
  ['workflowId', (at) => `workflow_id = ${at}`],
] as const satisfies readonly Filter[];
const FILTERS = [
  ...KIND_FILTERS,
  // The hash uses the index, the text confirms the match.
  ['objectRef', (at) => `md5(object_ref) = md5(${at}) AND object_ref = ${at}`],
  ['runId', (at) => `run_id = ${at}`],
  ['fromMs', (at) => `at_ms >= ${at}`],
  ['toMs', (at) => `at_ms < ${at}`],
  ['overAtMs', (at) => `coalesce(valid_until_ms, 0) <= ${at}`],
] as const satisfies readonly Filter[];

/** Conditions of a query, with their values from `$from` on. */
class Conditions {
  readonly wanted: string[] = [];
  readonly values: unknown[] = [];
  readonly #from: number;

  constructor(filters: readonly Filter[], asked: DecisionQuery, from: number) {
    this.#from = from;
    for (const [name, condition] of filters) {
      const value = asked[name];
      if (value === undefined) continue;
      const stored = typeof value === 'string' ? storableText(value) : value;
      // A value with a NUL equals nothing in the other columns, and the server would refuse to compare it.
      const isAsStored = name === 'objectRef' || (typeof value === 'string' && value.includes('\0'));
      this.wanted.push(condition(this.place(isAsStored ? stored : value)));
    }
    if (asked.isWarned) this.wanted.push('evaluated_decision <> decision');
  }

  place(value: unknown): string {
    return `$${this.#from - 1 + this.values.push(value)}`;
  }
}

/** How many ranges of time one query looks at: few for a list that is full soon, many for one that finds little. */
const RUNS_AT_FIRST = 1;
const RUNS_FACTOR = 8;

export async function listDecisions(query: Query, asked: DecisionQuery): Promise<DecisionPage> {
  const conditions = new Conditions(FILTERS, asked, 2);
  const { wanted, values } = conditions;
  // Stated explicitly so that the planner can use the partial indexes.
  if (asked.decision !== undefined && asked.decision !== 'allow') wanted.push("decision <> 'allow'");
  const [beyond, order] = asked.order === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC'];
  const cursor = asked.cursor === undefined ? undefined : readCursor(asked.cursor);
  if (cursor === null) return { kind: 'bad_cursor' };
  if (cursor !== undefined) {
    const { atMs, position } = cursor;
    wanted.push(`(at_ms, position) ${beyond} (${conditions.place(atMs)}, ${conditions.place(position)})`);
  }
  const limit = conditions.place(asked.limit + 1);
  const sorted = `ORDER BY at_ms ${order}, position ${order} LIMIT ${limit}`;
  const found = `SELECT * FROM writecheck.decision WHERE ${['workspace = $1', ...wanted].join(' AND ')}`;
  if (!isByKind(asked)) {
    const rows = await query<DecisionRow>(`${found} ${sorted}`, [asked.workspace, ...values]);
    return pageOf(rows, asked.limit, originalSummary);
  }

  const [froms, tos] = [conditions.place([]), conditions.place([])];
  const within = `SELECT d.* FROM unnest(${froms}::bigint[], ${tos}::bigint[]) AS run (from_ms, to_ms)
    CROSS JOIN LATERAL (${found} AND at_ms >= from_ms AND at_ms < to_ms ${sorted}) d ${sorted}`;
  const kind = new Conditions(KIND_FILTERS, asked, 4);
  const kinds = { ...kind, workspace: asked.workspace, order: asked.order ?? 'newest' };
  const rows: DecisionRow[] = [];
  let some = RUNS_AT_FIRST;
  for await (const runs of timesOf(query, kinds, daysOf(asked, cursor?.atMs ?? null))) {
    for (let at = 0; at < runs.length && rows.length <= asked.limit; at += some, some *= RUNS_FACTOR) {
      const these = runs.slice(at, at + some);
      const times = [these.map(({ fromMs }) => fromMs), these.map(({ toMs }) => toMs)];
      rows.push(...(await query<DecisionRow>(within, [asked.workspace, ...values.slice(0, -2), ...times])));
    }
    if (rows.length > asked.limit) break;
  }
  return pageOf(rows, asked.limit, originalSummary);
}

export function openAllows(
  query: Query,
  workspace: string,
  fromMs: number,
  atMs: number,
): Promise<readonly OpenAllows[]> {
  return query<OpenAllows>(
    `SELECT d.key_id AS "keyId", d.system, d.object_type AS "objectType", d.field, d.operation,
       d.workflow_id AS "workflowId", count(*)::bigint AS count, count(r.decision_id)::bigint AS redeemed
     FROM writecheck.decision d LEFT JOIN writecheck.redemption r
       ON r.workspace = $1 AND r.decision_id = d.decision_id COLLATE "C"
     WHERE d.workspace = $1 AND d.at_ms BETWEEN $2 AND $3 AND d.decision = 'allow' AND d.valid_until_ms > $3
     GROUP BY 1, 2, 3, 4, 5, 6`,
    [workspace, fromMs, atMs],
  );
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
