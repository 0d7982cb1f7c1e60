/** Runs operations on the tables in SQLite: each step immediately, on one connection. */
import type { Statement as Prepared } from 'better-sqlite3';
import { BYTES, monthOf, type StoredBytes } from '../commit/stored-bytes.ts';
import { ChargeTally } from '../tables/charge-tally.ts';
import type { Append, Run, Statement, Step, Value } from '../tables/operation.ts';
import { Undone } from '../tables/operation.ts';
import { prepareAppendEntries } from './append-segment.ts';
import { prepareNoteChange } from './changes.ts';
import type { Db } from './open-database.ts';
import { toUnavailable } from './store-failure.ts';

/** SQLite has one writer at a time and one schema, and never casts bound values. */
const LEFT_OUT = /writecheck\.|::\w+| FOR (?:NO KEY UPDATE|KEY SHARE|SHARE|UPDATE)(?: SKIP LOCKED)?/g;

/** A statement with long lists is hardly ever the same again. */
const KEPT_VALUES_MAX = 64;

/** A statement of PostgreSQL, with its placeholders in order. */
export function sqliteText(text: string): string {
  return text
    .replaceAll(/= ANY \(\$\d+\)/g, 'IN (SELECT value FROM json_each(?))')
    .replaceAll(/<> ALL \(\$\d+\)/g, 'NOT IN (SELECT value FROM json_each(?))')
    .replaceAll(LEFT_OUT, '')
    .replaceAll(/\$\d+/g, '?');
}

type Perform = <Result>(operation: Append<Result>) => Result;
type PerformStep = (step: Step) => readonly unknown[];

const NO_ROWS: readonly unknown[] = [];

function prepareStatements(db: Db): (statement: Statement) => readonly unknown[] {
  const prepared = new Map<string, Prepared>();
  // Only one machine has the file, so its clock decides leases.
  db.function('lease_now', () => Date.now());
  return ({ text, values }) => {
    let statement = prepared.get(text);
    if (statement === undefined) {
      statement = db.prepare(sqliteText(text));
      if (values.length <= KEPT_VALUES_MAX) prepared.set(text, statement);
    }
    const bound = values.map(boundOf);
    if (statement.reader) return statement.all(bound);
    statement.run(bound);
    return NO_ROWS;
  };
}

function boundOf(value: Value) {
  if (typeof value === 'boolean') return Number(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return JSON.stringify(value);
  if ('compared' in value) return value.compared;
  return 'escaped' in value ? value.escaped : value;
}

function runWith(perform: PerformStep): Perform {
  return (operation) => {
    let step = operation.next(NO_ROWS);
    while (step.done !== true) step = operation.next(perform(step.value));
    return step.value;
  };
}

/** Runs operations on a connection that cannot write. */
export function prepareReads(db: Db): Perform {
  const perform = prepareStatements(db);
  return runWith((step) => {
    if (step.kind !== 'statement') throw new TypeError(`a read has a step of the kind ${step.kind}`);
    return perform(step);
  });
}

/** Runs reads for `methodsOf`. Rejects with `StoreUnavailable`. */
export function readsOn(db: Db): Run {
  const run = prepareReads(db);
  return async (_, start) => {
    try {
      return run(start());
    } catch (thrown) {
      throw toUnavailable(thrown);
    }
  };
}

/**
 * Runs within the caller's transaction; operations append to this log. `storesAtMost`: the bytes a day of a workspace
 * that has ceilings; null if none has.
 */
export function prepareSteps(db: Db, log: string, storesAtMost: number | null): Perform {
  const perform = prepareStatements(db);
  const noteChange = prepareNoteChange(db);
  const appendEntries = prepareAppendEntries(db);
  const chargeBytes = prepareChargeBytes(db, storesAtMost !== null);
  const newest = db.prepare('SELECT newest_ms FROM log WHERE log = ?');
  const runOne =
    (tally: ChargeTally) =>
    (step: Step): readonly unknown[] => {
      switch (step.kind) {
        case 'statement':
          tally.ran(step);
          return perform(step);
        case 'charged':
          tally.charge(step);
          return [{ at_most: storesAtMost }];
        case 'noted':
          noteChange(step.change, step.workspace, step.subject);
          return NO_ROWS;
        case 'appended': {
          const entries = step.entries(log);
          tally.appended(entries);
          appendEntries(log, entries);
          return NO_ROWS;
        }
        case 'held':
          return newest.all(log);
        case 'alone':
        case 'hurried':
          return NO_ROWS;
      }
    };
  return (operation) => {
    const tally = new ChargeTally();
    const result = runWith(runOne(tally))(operation);
    if (tally.total !== null) chargeBytes(tally.total);
    return result;
  };
}

/** Adds to what a workspace has stored in the month, and in the day if it has a ceiling. */
export function prepareChargeBytes(db: Db, hasCeilings: boolean): (stored: StoredBytes) => void {
  const add = db.prepare(
    `INSERT INTO usage VALUES (?, ?, '${BYTES}', ?)
     ON CONFLICT (workspace, period, kind) DO UPDATE SET used = used + excluded.used`,
  );
  const addIfCeiling = db.prepare(
    `INSERT INTO usage SELECT id, ?, '${BYTES}', ? FROM workspace WHERE id = ? AND signed_up AND NOT live_granted
     ON CONFLICT (workspace, period, kind) DO UPDATE SET used = used + excluded.used`,
  );
  return ({ workspace, day, bytes }) => {
    add.run(workspace, monthOf(day), bytes);
    if (hasCeilings) addIfCeiling.run(day, bytes, workspace);
  };
}

/** Each operation is one immediate transaction. */
export function prepareWrites(db: Db, run: Perform): Perform {
  return <Result>(operation: Append<Result>): Result => {
    try {
      return db.transaction(() => run(operation)).immediate();
    } catch (thrown) {
      if (thrown instanceof Undone) return thrown.outcome as Result;
      throw thrown;
    }
  };
}
