/** Finds decisions by what they say, newest first, in steps: first among the newest, then as far back as asked. */
import type { DecisionSummary } from '@writecheck/api';
import type { Failure } from '../../api.ts';
import { type DecisionQuery, listDecisions } from '../../calls/decisions.ts';
import { isRead, keptDetail, readDetails, UNREADABLE } from '../../components/decision/details.ts';
import { type Money, moneyOf } from '../../components/decision/said-in-intent.ts';
import { isMeant, type Sought } from './what-is-said.ts';

/** Looked through without being asked for more. */
const FIRST_MAX = 2_000;
/** Values and amounts are in the decisions themselves, each of which costs a request. */
const FIRST_READ_MAX = 300;
const PAGE_SIZE = 200;
const READ_AT_ONCE = 24;
/** Matches beyond this are a job for narrower filters, or for the audit export. */
export const FOUND_MAX = 10_000;
const EXACT_FOUND_MAX = '50';
const EXACT_NAMES = ['objectRef', 'runId', 'workflowId', 'system'] as const;

export interface Found {
  readonly row: DecisionSummary;
  /** Undefined unless the search needed it. */
  readonly money?: Money | null;
}

export interface Step {
  readonly kind: 'step';
  /** Newest first. */
  readonly found: readonly Found[];
  /** How many decisions were looked through. */
  readonly searched: number;
  /** How many of them wait to have their values read. */
  readonly unread: number;
  /** How many could not be read, and are neither found nor left out. */
  readonly unreadable: number;
  /** Whether there are no older ones to look through. */
  readonly isAll: boolean;
  /** Whether this is as far as it goes without being asked to go on. */
  readonly isPause: boolean;
}

/** Ends when all is searched; a failure is yielded, and the next step tries again. */
export async function* searchDecisions(
  query: DecisionQuery,
  sought: Sought,
  signal: AbortSignal,
): AsyncGenerator<Step | Failure, void> {
  const found: Found[] = [];
  let beyond: readonly Found[] = [];
  let pending: DecisionSummary[] = [];
  let [searched, readFirst, unreadable] = [0, 0, 0];
  let cursor: string | null | undefined;
  const isAll = () => cursor === null;
  const step = (isPause = false): Step => ({
    kind: 'step',
    found: isAll() || beyond.length === 0 ? [...found] : withOlder(found, beyond),
    searched,
    unread: pending.length,
    unreadable,
    isAll: isAll(),
    isPause,
  });
  const judge = (rows: readonly DecisionSummary[]) => {
    const unknown: DecisionSummary[] = [];
    for (const row of rows) {
      const isIt = isMeant(row, sought);
      if (isIt === true) found.push(foundOf(row, sought));
      else if (isIt === undefined) unknown.push(row);
    }
    return unknown;
  };
  /** The next page of the list. */
  const look = async (): Promise<Failure | null> => {
    const paged = { ...query, limit: String(PAGE_SIZE), ...(cursor == null ? {} : { cursor }) };
    const page = await listDecisions(paged, signal);
    if (page.kind === 'failure') return page;
    cursor = page.value.nextCursor;
    searched += page.value.decisions.length;
    pending.push(...judge(page.value.decisions));
    return null;
  };
  const read = async (): Promise<Failure | null> => {
    const rows = pending.slice(0, READ_AT_ONCE);
    const failure = await readDetails(
      rows.map(({ decision_id }) => decision_id),
      signal,
    );
    if (failure !== null && failure.status !== UNREADABLE) return failure;
    const left = judge(rows);
    // One bad record must not end the search; what is left for another reason is tried again.
    if (failure !== null) unreadable += left.length;
    pending = [...(failure === null ? left : []), ...pending.slice(rows.length)];
    found.sort(newestFirst);
    return null;
  };
  while (!isAll() && searched < FIRST_MAX) yield (await look()) ?? step();
  while (pending.length > 0 && readFirst < FIRST_READ_MAX) {
    const failure = await read();
    if (failure === null) readFirst += READ_AT_ONCE;
    yield failure ?? step();
  }
  if (!isAll()) beyond = await exactOnes(query, sought, signal);
  if (isAll() && pending.length === 0) return;
  yield step(true);
  for (;;) {
    if (found.length >= FOUND_MAX) return yield step(true);
    if (pending.length > 0) yield (await read()) ?? step();
    else if (isAll()) return;
    else yield (await look()) ?? step();
  }
}

function foundOf(row: DecisionSummary, { needsAmounts }: Sought): Found {
  if (!needsAmounts) return { row };
  return { row, money: moneyOf(keptDetail(row.decision_id)?.intent ?? {}) };
}

function newestFirst(a: Found, b: Found): number {
  return a.row.timestamp < b.row.timestamp ? 1 : a.row.timestamp > b.row.timestamp ? -1 : 0;
}

function withOlder(found: readonly Found[], older: readonly Found[]): readonly Found[] {
  const ids = new Set(found.map(({ row }) => row.decision_id));
  return [...found, ...older.filter(({ row }) => !ids.has(row.decision_id))].sort(newestFirst);
}

/** A word that is a whole name is found however old it is; what cannot be read now is found by searching on. */
async function exactOnes(
  query: DecisionQuery,
  sought: Sought,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const [word, ...more] = sought.words;
  if (word === undefined || word.isNot || more.length > 0) return [];
  const rows: DecisionSummary[] = [];
  for (const name of EXACT_NAMES) {
    if (query[name] !== undefined) continue;
    const page = await listDecisions({ ...query, [name]: word.text, limit: EXACT_FOUND_MAX }, signal);
    if (page.kind === 'success') rows.push(...page.value.decisions);
  }
  const unknown = rows.filter((row) => isMeant(row, sought) === undefined && !isRead(row.decision_id));
  await readDetails(
    unknown.map(({ decision_id }) => decision_id),
    signal,
  );
  const ids = new Map(rows.map((row) => [row.decision_id, row]));
  return [...ids.values()].filter((row) => isMeant(row, sought)).map((row) => foundOf(row, sought));
}
