/**
 * A process that reads SQLite files for the reader. Only a separate process can be ended in the middle of a
 * query.
 */
import Database from 'better-sqlite3';
import { READ_MS_MAX, SOURCE_BYTES_MAX } from './limits.ts';
import { sqliteValue } from './sqlite-values.ts';
import type { Table } from './table.ts';

export interface SqliteJob {
  readonly file: string;
  readonly text: string;
  readonly values: readonly string[];
  readonly rowsToFetch: number;
}

export type SqliteReply =
  | { readonly kind: 'ready' }
  | ({ readonly kind: 'table' } & Table)
  | { readonly kind: 'failed'; readonly why: string };

process.on('message', (job: SqliteJob) => {
  process.send?.(replyTo(job));
});
process.on('disconnect', () => process.exit());
process.send?.({ kind: 'ready' } satisfies SqliteReply);

function replyTo(job: SqliteJob): SqliteReply {
  try {
    return { kind: 'table', ...read(job) };
  } catch (error) {
    // The message of an error of SQLite may hold a value.
    const { code } = error as { code?: unknown };
    if (typeof code === 'string') return { kind: 'failed', why: `the query failed (${code})` };
    return { kind: 'failed', why: error instanceof Unreadable ? error.message : 'the query failed' };
  }
}

class Unreadable extends Error {}

function read({ file, text, values, rowsToFetch }: SqliteJob): Table {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: READ_MS_MAX });
  try {
    const statement = db.prepare(text);
    if (!statement.reader || !statement.readonly)
      throw new Unreadable('the statement does not only read; write a `select`');
    const columns = statement.columns().map(({ name }) => name);
    const rows: Table['rows'][number][] = [];
    let characters = 0;
    for (const row of statement.raw().safeIntegers().iterate(values) as IterableIterator<unknown[]>) {
      const valuesOfRow = row.map((value, at) => {
        const read = sqliteValue(value);
        if (read === undefined)
          throw new Unreadable(`the column \`${columns[at]}\` has a value that JSON cannot hold exactly`);
        if (typeof read === 'string') characters += read.length;
        return read;
      });
      if (characters > SOURCE_BYTES_MAX) throw new Unreadable('the rows are too long');
      rows.push(valuesOfRow);
      if (rows.length === rowsToFetch) break;
    }
    return { columns, rows };
  } finally {
    db.close();
  }
}
