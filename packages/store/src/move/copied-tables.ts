/** The tables that move from SQLite to PostgreSQL row by row; logs and segments have their own copy in `copy-store.ts`. */
import { storableId, storableText } from '../postgres/storable-text.ts';
import { TABLES } from '../tables/operations.ts';
import { type Column, columnsOf } from '../tables/schema.ts';

export type Row = { readonly [column: string]: unknown };

interface CopiedTable {
  /** The SELECT that reads from SQLite. */
  readonly from: string;
  /** The table in PostgreSQL. */
  readonly to: string;
  /** Changes the columns that differ. */
  readonly change?: (row: Row) => Row;
}

/** Everybody signs in again, and the limit on test deliveries starts again. */
const STAYING: readonly string[] = ['session', 'one_time', 'webhook_call'];

/** A lease of the old process means nothing here. The cursors stay: they name logs, which keep their names. */
const NOT_LEASED: Row = { holder: '', leased_until_ms: 0 };

export const COPIED_TABLES: readonly CopiedTable[] = [
  // Impact runs are copied too: one that is in progress fails in the new store, because nobody renews its lease there.
  ...[...columnsOf(TABLES)].filter(([name]) => !STAYING.includes(name)).map(copiedAlike),
  // Earlier charges count everywhere: all rows are added up, with a limit or without.
  { from: 'SELECT workspace, period, kind, -1 AS log, used FROM usage', to: 'usage' },
  {
    from: `SELECT workspace, key, request_digest, 0 AS claimed_ms, expires_ms, replayable_while, response
      FROM idempotency`,
    to: 'idempotency',
  },
];

/** All columns except those that the database counts up. */
function copiedAlike([name, columns]: readonly [string, readonly Column[]]): CopiedTable {
  const copied = columns.filter(({ isNumber }) => !isNumber);
  const order = copied.length < columns.length ? ' ORDER BY number' : '';
  return {
    from: `SELECT ${copied.map((column) => column.name).join(', ')} FROM ${name}${order}`,
    to: name,
    change: (row) => ({
      ...Object.fromEntries(copied.map((column) => [column.name, stored(column, row[column.name])])),
      ...(name === 'webhook' ? NOT_LEASED : {}),
    }),
  };
}

function stored({ type }: Column, value: unknown): unknown {
  if (value === null) return null;
  switch (type) {
    case 'boolean':
      return value === 1;
    case 'escaped':
      return storableText(String(value));
    case 'compared':
      return storableId({ jti: String(value) });
    default:
      return value;
  }
}
