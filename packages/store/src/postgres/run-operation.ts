/** Runs operations on the tables in PostgreSQL: each step is awaited, and a write is one transaction. */
import type { NewEntry } from '../commit/segment-builder.ts';
import { BYTES, monthOf, type StoredBytes } from '../commit/stored-bytes.ts';
import { ChargeTally } from '../tables/charge-tally.ts';
import type {
  Append,
  HeldLogs,
  Noted,
  Read,
  Run,
  Statement,
  Step,
  Value,
  Write,
} from '../tables/operation.ts';
import { noteChanges } from './changes.ts';
import type { Connections, Query } from './connection.ts';
import { toUnavailable, unavailable } from './postgres-failure.ts';
import { originalText, storableId, storableText } from './storable-text.ts';

/** Each further attempt means that another process was faster, which cannot continue for long. */
export const ATTEMPTS_MAX = 50;

/** The rest of an operation after all of its statements have run. */
export interface Ending<Result> {
  readonly result: Result;
  readonly entries: readonly NewEntry[];
  readonly changes: readonly Noted[];
  /** Null if nothing is to be charged. */
  readonly stored: StoredBytes | null;
}

interface Surroundings {
  /** The log to append to. */
  readonly log?: string;
  /** The bytes a day of a workspace that has ceilings; null if none has. */
  readonly storesAtMost?: number | null;
}

/** Runs the statements; work that would block other processes is left to the end of the transaction. */
export async function runStatements<Result>(
  query: Query,
  { log, storesAtMost = null }: Surroundings,
  operation: Append<Result>,
): Promise<Ending<Result>> {
  const entries: NewEntry[] = [];
  const changes: Noted[] = [];
  const tally = new ChargeTally();
  const perform = async (step: Step): Promise<readonly unknown[]> => {
    switch (step.kind) {
      case 'statement':
        tally.ran(step);
        return rowsOf(query, step);
      case 'charged':
        tally.charge(step);
        return [{ at_most: storesAtMost }];
      case 'alone':
        return query("SELECT pg_advisory_xact_lock(hashtextextended('writecheck ' || $1, 0))", [step.name]);
      case 'held':
        return holdLogs(query, step.which, log);
      case 'hurried':
        return query("SELECT set_config('lock_timeout', $1, true)", [HURRIED]);
      case 'noted':
        changes.push(step);
        return [];
      case 'appended': {
        if (log === undefined) throw new TypeError('only an operation of the log writer may append');
        const own = step.entries(log);
        tally.appended(own);
        entries.push(...own);
        return [];
      }
    }
  };
  let step = operation.next([]);
  while (step.done !== true) step = operation.next(await perform(step.value));
  return { result: step.value, entries, changes, stored: tally.total };
}

/**
 * Adds to what a workspace has stored in the month, and in the day if it has a ceiling. INVARIANT: called once the log
 * is held, because a commit takes the two in this order.
 */
export async function chargeBytes(
  query: Query,
  { workspace, day, bytes }: StoredBytes,
  hasCeilings: boolean,
): Promise<void> {
  await query(
    `INSERT INTO writecheck.usage AS u SELECT $1, p.period, '${BYTES}', -1, $4
     FROM unnest(ARRAY[$2, CASE WHEN $5 THEN $3 END]) AS p (period)
     WHERE p.period IS NOT NULL AND (p.period = $2 OR EXISTS (SELECT 1 FROM writecheck.workspace
       WHERE id = $1 AND signed_up AND NOT live_granted))
     ON CONFLICT (workspace, period, kind, log) DO UPDATE SET used = u.used + excluded.used`,
    [workspace, monthOf(day), day, bytes, hasCeilings],
  );
}

const HURRIED = '2s';

async function holdLogs(
  query: Query,
  which: HeldLogs['which'],
  log: string | undefined,
): Promise<readonly unknown[]> {
  if (which === 'own')
    return query('SELECT newest_ms FROM writecheck.log WHERE log = $1 FOR NO KEY UPDATE', [log]);
  // Nobody begins or takes over a log meanwhile.
  await query("SELECT pg_advisory_xact_lock(hashtextextended('writecheck claim', 0))");
  return query('SELECT newest_ms FROM writecheck.log WHERE is_open ORDER BY number FOR NO KEY UPDATE');
}

async function rowsOf(query: Query, { text, values, escaped }: Statement): Promise<readonly unknown[]> {
  const rows = await query<unknown>(text, values.map(boundOf));
  return escaped.length === 0 ? rows : rows.map((row) => originalRow(row, escaped));
}

function boundOf(value: Value) {
  if (value === null || typeof value !== 'object') return value;
  if ('compared' in value) return storableId(value.compared);
  return 'escaped' in value ? storableText(value.escaped) : value;
}

function originalRow(row: unknown, escaped: readonly string[]): unknown {
  const original: { [column: string]: unknown } = { ...(row as object) };
  for (const column of escaped) {
    const stored = original[column];
    if (typeof stored === 'string') original[column] = originalText(stored);
  }
  return original;
}

export async function runRead<Result>(query: Query, operation: Read<Result>): Promise<Result> {
  return (await runStatements(query, {}, operation)).result;
}

/** Runs reads for `methodsOf`. */
export function readsOn(query: Query): Run {
  return (_, start) =>
    runRead(query, start() as Read<unknown>).catch((thrown) => {
      throw toUnavailable(thrown);
    });
}

/** `start` is called again if the server undid the transaction because another process was faster. */
export async function runWrite<Result>(
  { attempt }: Connections,
  storesAtMost: number | null,
  start: () => Write<Result>,
): Promise<Result> {
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
    const done = await attempt(async (query) => {
      const { result, changes, stored } = await runStatements(query, { storesAtMost }, start());
      if (stored !== null) await chargeBytes(query, stored, storesAtMost !== null);
      await noteChanges(query, changes);
      return result;
    });
    if (done.kind === 'done') return done.value;
    if (done.kind === 'undone') return done.outcome as Result;
  }
  throw unavailable('busy', new Error('other processes were faster every time'));
}
