/**
 * The language in which an operation on the store's tables is written, once for both databases.
 *
 * An operation is a generator: it yields steps and receives rows. SQLite runs it immediately on the writer thread,
 * inside `BEGIN IMMEDIATE`; PostgreSQL awaits each step inside one transaction (read committed). To write one:
 *
 * 1. Write a generator in the file of its table. Read and write with `sql`, whose text is PostgreSQL's: tables are
 *    named `writecheck.NAME`, every `${value}` is bound, and `RETURNING 1` shows whether a write found its row.
 *    SQLite drops schema, casts (`::bigint`) and lock clauses. Booleans come back as 1 and 0 from SQLite.
 * 2. Lock what you count or compare before you read it (`lockWorkspace`, or `FOR NO KEY UPDATE`): on PostgreSQL other
 *    processes write at the same time. If it locks several rows, lock them in one order.
 * 3. `yield* noteChange(...)` for what caches follow. `yield* append(...)` for log entries: they become durable in the
 *    same commit as the change, or neither does. `throw new Undone(outcome)` undoes everything and returns `outcome`.
 * 4. Name it in `operations.ts`: under `READS`, `WRITES`, or `APPENDING` if it appends. It is then a method of `Store`,
 *    with the same arguments and a promise of its result. Under `INNER` it is a method for the store's own work only.
 *
 * INVARIANT: an operation depends only on its arguments and on the rows it gets. PostgreSQL runs it again if another
 * process was faster.
 */
import type { NewEntry } from '../commit/segment-builder.ts';
import { unlessEnded } from '../port/acting.ts';
import type { NotedKind } from '../rows.ts';

/** A text that is only compared: a database that cannot store or index it stores its hash. */
export interface Compared {
  readonly compared: string;
}

/** A text of any characters: a database that cannot store one of them escapes it. Read it with `sqlEscaping`. */
export interface Escaped {
  readonly escaped: string;
}

/** A list is for `= ANY (${list})` and `<> ALL (${list})`, whatever its length. */
export type Value =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | Compared
  | Escaped
  | readonly (string | number)[];

/** One statement in PostgreSQL's words, with its values in the order of their places `$1`, `$2` and so on. */
export interface Statement {
  readonly kind: 'statement';
  readonly text: string;
  readonly values: readonly Value[];
  /** Columns that were written as `Escaped`. */
  readonly escaped: readonly string[];
}

/** A lock by name: other takers wait until the end of the transaction. */
interface Alone {
  readonly kind: 'alone';
  readonly name: string;
}

/**
 * Holds the log that the operation appends to, or every open log, until the end of the transaction: no commit
 * is in progress then, and later reads see what the next commit reads.
 */
export interface HeldLogs {
  readonly kind: 'held';
  readonly which: 'own' | 'all';
}

/** Fails the operation once it has waited two seconds for a lock. */
interface Hurried {
  readonly kind: 'hurried';
}

/** A change that caches in every process follow. */
export interface Noted {
  readonly kind: 'noted';
  readonly change: NotedKind;
  readonly workspace: string;
  readonly subject: string;
}

/** The rest of what the operation writes is charged to this workspace; the only row says what it may store a day. */
export interface Charged {
  readonly kind: 'charged';
  readonly workspace: string;
  readonly atMs: number;
}

/** Entries for the open log, whose name they contain. */
export interface Appended {
  readonly kind: 'appended';
  readonly entries: (log: string) => readonly NewEntry[];
}

type Rows = readonly unknown[];

export type Read<Result> = Generator<Statement, Result, Rows>;
export type Write<Result> = Generator<Statement | Alone | Noted | Charged, Result, Rows>;
export type Append<Result> = Generator<Step, Result, Rows>;
export type Step = Statement | Alone | HeldLogs | Hurried | Noted | Charged | Appended;

/** Leaves an operation; all of its writes are undone, and its caller gets `outcome`. */
export class Undone extends Error {
  readonly outcome: unknown;

  constructor(outcome: unknown) {
    super('undone');
    this.outcome = outcome;
  }
}

/** A part of a statement's text, with the values it binds. */
export class Part {
  readonly texts: readonly string[];
  readonly values: readonly (Value | Part)[];

  constructor(texts: readonly string[], values: readonly (Value | Part)[]) {
    this.texts = texts;
    this.values = values;
  }
}

/** A part of another statement, with values of its own. */
export function part(texts: TemplateStringsArray, ...values: readonly (Value | Part)[]): Part {
  return new Part(texts, values);
}

/** Text that is inserted into a statement unchanged: never a value. */
export function text(content: string): Part {
  return new Part([content], []);
}

/** Fits `IN (${list(ids)})`. An empty list contains NULL, which equals nothing. */
export function list(values: readonly Value[], cast = ''): Part {
  return separated((values.length === 0 ? [null] : values).map((value) => part`${value}${text(cast)}`));
}

export function separated(parts: readonly Part[], by = ', '): Part {
  return new Part(['', ...parts.slice(1).map(() => by), ''], parts);
}

type Row = { readonly [column: string]: Value };

/** Fits `INSERT INTO table ${insertion(row)}`. */
export function insertion(row: Row | object): Part {
  return part`(${text(Object.keys(row).join(', '))}) VALUES (${list(Object.values(row) as Value[])})`;
}

/** Fits `UPDATE table SET ${assignments(row)}`. */
export function assignments(row: Row | object): Part {
  return separated(Object.entries(row).map(([column, value]) => part`${text(column)} = ${value as Value}`));
}

/** Sorts rows that stay locked: taking locks in one order never leads to waiting in a circle. */
export function sortedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return items.toSorted((a, b) => {
    const [first, second] = [keyOf(a), keyOf(b)];
    return first === second ? 0 : first < second ? -1 : 1;
  });
}

/** Runs one statement and returns its rows. */
export const sql = sqlEscaping();

/** `sql` for rows whose columns of these names were written as `Escaped`. */
export function sqlEscaping(...escaped: readonly string[]) {
  return function* <Found>(
    texts: TemplateStringsArray,
    ...values: readonly (Value | Part)[]
  ): Generator<Statement, readonly Found[], Rows> {
    return (yield statementOf(new Part(texts, values), escaped)) as readonly Found[];
  };
}

export function* noteChange(
  change: NotedKind,
  workspace: string,
  subject: string,
): Generator<Noted, void, Rows> {
  yield { kind: 'noted', change, workspace, subject };
}

export function* append(entries: Appended['entries']): Generator<Appended, void, Rows> {
  yield { kind: 'appended', entries };
}

/** The newest time in the held logs. */
export function* holdLogs(which: HeldLogs['which']): Generator<HeldLogs, number, Rows> {
  const rows = (yield { kind: 'held', which }) as readonly { readonly newest_ms: number }[];
  return Math.max(...rows.map(({ newest_ms }) => newest_ms));
}

export function* hurry(): Generator<Hurried, void, Rows> {
  yield { kind: 'hurried' };
}

export function* alone(name: string): Generator<Alone, void, Rows> {
  yield { kind: 'alone', name };
}

function statementOf(whole: Part, escaped: readonly string[]): Statement {
  const values: Value[] = [];
  const write = ({ texts, values: own }: Part): string =>
    texts
      .map((before, i) => {
        const value = own[i];
        if (value === undefined) return before;
        return before + (value instanceof Part ? write(value) : `$${values.push(value)}`);
      })
      .join('');
  return { kind: 'statement', text: write(whole), values, escaped };
}

/** An operation as its caller on another thread, or over a connection, sees it. */
export type Methods<Operations> = {
  readonly [Name in keyof Operations]: Operations[Name] extends (
    ...args: infer Args
  ) => Generator<Step, infer Result, Rows>
    ? (...args: Args) => Promise<Result>
    : never;
};

/** Runs an operation, given its name, a function that starts it (again), and its arguments. */
export type Run = (name: string, start: () => Append<unknown>, args: readonly unknown[]) => Promise<unknown>;

/** Each operation as a method of the store. */
export function methodsOf<Operations extends object>(operations: Operations, run: Run): Methods<Operations> {
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]: [string, (...args: unknown[]) => Append<unknown>]) => [
      name,
      async (...args: unknown[]) => unlessEnded(await run(name, () => operation(...args), args)),
    ]),
  ) as Methods<Operations>;
}
