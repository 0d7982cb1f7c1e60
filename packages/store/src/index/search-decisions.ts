/** Lists and counts of decisions, read from the search index: a database of its own on SQLite. */
import { DAY_MS, HOUR_MS } from '@writecheck/contract';
import type { DecisionPage, DecisionQuery } from '../port/decisions.ts';
import type { DailyUsage, DecisionCount } from '../port/usage.ts';
import {
  type Escaped,
  type Part,
  part,
  type Read,
  separated,
  sql,
  sqlEscaping,
  text,
} from '../tables/operation.ts';
import { pageOf, readCursor } from './cursor.ts';
import { daysOf, isByKind, type Run, runsOf } from './decision-kinds.ts';
import { DECISION } from './index-rows.ts';

/** The SQL that differs between the indexes of the two databases. */
export interface IndexWords {
  /** The value that rows store for the workspace: a number on SQLite, to keep them short. */
  readonly workspace: string | number;
  isObject(objectRef: Escaped): Part;
  /** Those rows of `found` that are in one of these ranges of time, in the order of the list; more than `limit` need not be read. */
  rowsWithin(found: Part, sorted: Part, runs: readonly Run[], limit: number): Read<readonly object[]>;
}

/** Reads and writes rows of the index. */
export const indexSql = sqlEscaping('object_ref');

const KIND_COLUMNS = {
  keyId: 'key_id',
  decision: 'decision',
  reasonCode: 'reason_code',
  system: 'system',
  workflowId: 'workflow_id',
} as const satisfies { readonly [name in keyof DecisionQuery]?: string };

/** A text with a NUL equals nothing in these columns, and PostgreSQL would refuse to compare it as it is. */
function compared(value: string): string | Escaped {
  return value.includes('\0') ? { escaped: value } : value;
}

function kindConditions(asked: DecisionQuery): readonly Part[] {
  const named = Object.entries(KIND_COLUMNS).flatMap(([name, column]) => {
    const value = asked[name as keyof typeof KIND_COLUMNS];
    return value === undefined ? [] : [part`${text(column)} = ${compared(value)}`];
  });
  return asked.isWarned ? [...named, part`evaluated_decision <> decision`] : named;
}

function conditions(asked: DecisionQuery, { workspace, isObject }: IndexWords): readonly Part[] {
  const { decision, objectRef, runId, fromMs, toMs, overAtMs } = asked;
  const wanted = [part`workspace = ${workspace}`, ...kindConditions(asked)];
  if (objectRef !== undefined) wanted.push(isObject({ escaped: objectRef }));
  if (runId !== undefined) wanted.push(part`run_id = ${compared(runId)}`);
  if (fromMs !== undefined) wanted.push(part`at_ms >= ${fromMs}`);
  if (toMs !== undefined) wanted.push(part`at_ms < ${toMs}`);
  if (overAtMs !== undefined) wanted.push(part`coalesce(valid_until_ms, 0) <= ${overAtMs}`);
  // Stated explicitly so that the planner can use the partial indexes.
  if (decision !== undefined && decision !== 'allow') wanted.push(part`decision <> 'allow'`);
  return wanted;
}

/** How many ranges of time one reading looks at: few for a list that is full soon, many for one that finds little. */
const RUNS_AT_FIRST = 1;
const RUNS_FACTOR = 8;

export function* listDecisions(asked: DecisionQuery, words: IndexWords): Read<DecisionPage> {
  const { limit, order: wish = 'newest' } = asked;
  const wanted = [...conditions(asked, words)];
  const [beyond, order] = wish === 'oldest' ? [text('>'), text('ASC')] : [text('<'), text('DESC')];
  const cursor = asked.cursor === undefined ? undefined : readCursor(asked.cursor);
  if (cursor === null) return { kind: 'bad_cursor' };
  if (cursor !== undefined)
    wanted.push(part`(at_ms, position) ${beyond} (${cursor.atMs}, ${cursor.position})`);
  const found = part`SELECT * FROM writecheck.decision WHERE ${separated(wanted, ' AND ')}`;
  const sorted = part`ORDER BY at_ms ${order}, position ${order} LIMIT ${limit + 1}`;
  if (!isByKind(asked))
    return pageOf((yield* indexSql<object>`${found} ${sorted}`).map(DECISION.storedOf), limit);
  const rows: object[] = [];
  let some = RUNS_AT_FIRST;
  let days = daysOf(asked, cursor?.atMs ?? null);
  for (let daysRead = FIRST_DAYS; days.first <= days.last && rows.length <= limit; daysRead = MORE_DAYS) {
    const read = yield* readDays(asked, words, days, daysRead);
    const runs = runsOf(read, wish);
    for (let at = 0; at < runs.length && rows.length <= limit; at += some, some *= RUNS_FACTOR)
      rows.push(...(yield* words.rowsWithin(found, sorted, runs.slice(at, at + some), limit - rows.length)));
    const reached = read.length < daysRead ? null : read.at(-1)!.day;
    if (reached === null) break;
    days = wish === 'oldest' ? { ...days, first: reached + 1 } : { ...days, last: reached - 1 };
  }
  return pageOf(rows.map(DECISION.storedOf), limit);
}

/** Most lists need the newest days only. */
const FIRST_DAYS = 32;
const MORE_DAYS = 1_024;

/** Days that may have decisions of this kind, in the order of the list. The row of any kind has no decision. */
function readDays(
  asked: DecisionQuery,
  { workspace }: IndexWords,
  { first, last }: ReturnType<typeof daysOf>,
  limit: number,
): Read<readonly { readonly day: number; readonly hours: number }[]> {
  const order = text(asked.order === 'oldest' ? 'ASC' : 'DESC');
  return sql`SELECT day, bit_or(hours) AS hours FROM writecheck.decision_kind
    WHERE workspace = ${workspace} AND day BETWEEN ${first} AND ${last}
      AND (coalesce(decision, '') = '' OR (${separated(kindConditions(asked), ' AND ')}))
    GROUP BY day ORDER BY day ${order} LIMIT ${limit}`;
}

export function usageByDay(workspace: string | number, period: string): Read<readonly DailyUsage[]> {
  return sql<DailyUsage>`SELECT day, key_id AS "keyId", checks FROM writecheck.daily
    WHERE workspace = ${workspace} AND day BETWEEN ${`${period}-01`} AND ${`${period}-31`} ORDER BY day, key_id`;
}

const STEP_MS = { hour: HOUR_MS, day: DAY_MS };

export function countDecisions(
  workspace: string | number,
  fromMs: number,
  toMs: number,
  step: keyof typeof STEP_MS,
): Read<readonly DecisionCount[]> {
  return sql<DecisionCount>`SELECT hour_ms - hour_ms % ${STEP_MS[step]}::bigint AS "fromMs", sum(allow)::bigint AS allow,
      sum(pause)::bigint AS pause, sum(block)::bigint AS block, sum(warned)::bigint AS warned
    FROM writecheck.hourly WHERE workspace = ${workspace} AND hour_ms >= ${fromMs - (fromMs % HOUR_MS)}
      AND hour_ms < ${toMs} GROUP BY 1 ORDER BY 1`;
}
