/** The tables that move from SQLite to PostgreSQL row by row; logs and segments have their own copy in `copy-store.ts`. */

import { storableId, storableText } from './postgres/storable-text.ts';
import { TABLES } from './tables/operations.ts';
import { COLUMNS } from './tables/review-rows.ts';
import { type Column, columnsOf } from './tables/schema.ts';
import { WEBHOOK_COLUMNS } from './tables/webhook-rows.ts';

export type Row = { readonly [column: string]: unknown };

export interface CopiedTable {
  /** What to read from SQLite. */
  readonly from: string;
  /** The table in PostgreSQL. */
  readonly to: string;
  /** For columns that differ. */
  readonly change?: (row: Row) => Row;
}

/** Everybody signs in again, and the limit on test deliveries starts again. */
const STAYING: readonly string[] = ['session', 'one_time', 'webhook_call'];

export const COPIED_TABLES: readonly CopiedTable[] = [
  {
    from: 'SELECT id, name, created_ms, live_granted, moves, moved_to FROM workspace ORDER BY number',
    to: 'workspace',
    change: (row) => ({ ...row, live_granted: row.live_granted === 1 }),
  },
  {
    from: `SELECT id, workspace, kind, name, hash, hint, created_ms, expires_ms, last_used_ms, revoked_ms,
      rotated_ms, rotated_from, allowed_systems, allowed_workflows, held_by, made_by, revoked_by,
      roles, lineage
      FROM api_key ORDER BY number`,
    to: 'api_key',
  },
  // Earlier charges count everywhere: all rows are added up, with a limit or without.
  { from: 'SELECT workspace, period, kind, -1 AS log, used FROM usage', to: 'usage' },
  {
    from: `SELECT workspace, key, request_digest, 0 AS claimed_ms, expires_ms, replayable_while, response
      FROM idempotency`,
    to: 'idempotency',
  },
  // The attestation tables record whether an approval was used or taken back.
  {
    from: `SELECT ${COLUMNS.join(', ')} FROM review`,
    to: 'review',
    change: storableReview,
  },
  // Cursors name logs, which keep their names. A lease of the old process means nothing here.
  {
    from: `SELECT ${WEBHOOK_COLUMNS.join(', ')}, cursor, '' AS holder, 0 AS leased_until_ms FROM webhook ORDER BY number`,
    to: 'webhook',
  },
  {
    from: `SELECT webhook, id, type, at_ms, data, state, attempts, status, next_ms FROM webhook_delivery
      ORDER BY number`,
    to: 'webhook_delivery',
  },
  // Also impact runs: one that is in progress fails in the new store, because nobody renews its lease there.
  ...[...columnsOf(TABLES)].filter(([name]) => !STAYING.includes(name)).map(copiedAlike),
];

/** As many columns as there are, but those that the database counts up. */
function copiedAlike([name, columns]: readonly [string, readonly Column[]]): CopiedTable {
  const copied = columns.filter(({ isNumber }) => !isNumber);
  const order = copied.length < columns.length ? ' ORDER BY number' : '';
  return {
    from: `SELECT ${copied.map((column) => column.name).join(', ')} FROM ${name}${order}`,
    to: name,
    change: (row) =>
      Object.fromEntries(copied.map((column) => [column.name, stored(column, row[column.name])])),
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

function storableReview(row: Row): Row {
  const { system, object_ref: objectRef, document } = row;
  return {
    ...row,
    system: storableText(String(system)),
    object_ref: objectRef === null ? null : storableText(String(objectRef)),
    document: storableText(String(document)),
  };
}
