/** A process that reads SQLite files for the reader: only a process can be ended in the middle of a query. */
import type { JsonValue } from '@writecheck/contract';
import Database from 'better-sqlite3';
import { exactDecimal, exactWhole, inexact } from './exact-number.ts';
import { FactsUnavailable, READ_MS_MAX, SOURCE_BYTES_MAX } from './failures.ts';
import type { Table } from './sql.ts';

export interface SqliteJob {
  readonly file: string;
  readonly text: string;
  readonly values: readonly string[];
  readonly rowsToFetch: number;
}

export type SqliteReply = 'ready' | Table | { readonly why: string };

process.on('message', (job: SqliteJob) => process.send?.(replyTo(job)));
process.on('disconnect', () => process.exit());
process.send?.('ready' satisfies SqliteReply);

function replyTo(job: SqliteJob): SqliteReply {
  try {
    return read(job);
  } catch (error) {
    if (error instanceof FactsUnavailable) return { why: error.why };
    // The message of an error of SQLite may hold a value.
    const { code } = error as { code?: unknown };
    return { why: typeof code === 'string' ? `the query failed (${code})` : 'the query failed' };
  }
}

function read({ file, text, values, rowsToFetch }: SqliteJob): Table {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: READ_MS_MAX });
  try {
    const statement = db.prepare(text);
    if (!statement.reader || !statement.readonly)
      throw new FactsUnavailable('the statement does not only read; write a `select`');
    const columns = statement.columns().map(({ name }) => name);
    const rows: (JsonValue | null)[][] = [];
    let characters = 0;
    for (const row of statement.raw().safeIntegers().iterate(values) as IterableIterator<unknown[]>) {
      const valuesOfRow = row.map((value, at) => jsonOf(value, columns[at]!));
      for (const value of valuesOfRow) if (typeof value === 'string') characters += value.length;
      if (characters > SOURCE_BYTES_MAX) throw new FactsUnavailable('the rows are too long');
      rows.push(valuesOfRow);
      if (rows.length === rowsToFetch) break;
    }
    return { columns, rows };
  } finally {
    db.close();
  }
}

/** Refuses what JSON cannot hold exactly: bytes, long numbers and infinities. */
function jsonOf(value: unknown, column: string): JsonValue | null {
  if (value === null || typeof value === 'string') return value;
  const number =
    typeof value === 'bigint'
      ? exactWhole(String(value))
      : typeof value === 'number'
        ? exactDecimal(String(value))
        : undefined;
  if (number === undefined) throw inexact(column);
  return number;
}
