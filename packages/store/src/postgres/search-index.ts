/** Fills the search index from the segments, a few at a time; any process may do the next step. */
import { countIndexed } from '../index/count-indexed.ts';
import { DECISION, type IndexedDecision, IndexRows } from '../index/index-rows.ts';
import { unindexCounts, unindexDecisions, unindexKinds } from '../index/unindex.ts';
import { LEAVES_PER_LOG } from '../log/log-positions.ts';
import { type StoredSegment, useSegment } from '../log/segment.ts';
import type { Prunable } from '../port.ts';
import type { ReviewsAtPrune } from '../prune/reviews-at-prune.ts';
import type { Connections, Query } from './connection.ts';
import { runRead } from './run-operation.ts';
import { storableText } from './storable-text.ts';

/** About how many records are read, parsed and written at a time. */
const RECORDS_A_STEP = 1_024;

const NUMBER_COLUMNS: readonly string[] = ['position', 'at_ms', 'valid_until_ms'];
const LISTS = DECISION.columns.map(
  (column, i) => `$${i + 1}::${NUMBER_COLUMNS.includes(column) ? 'bigint' : 'text'}[]`,
);
const INSERT = `INSERT INTO writecheck.decision (${DECISION.columns.join(', ')}) SELECT * FROM unnest(${LISTS.join(', ')})`;

function rowOf(decision: IndexedDecision) {
  const { objectRef } = decision;
  return DECISION.rowOf({ ...decision, objectRef: objectRef === null ? null : storableText(objectRef) });
}

export interface Pending {
  readonly log: number;
  /** How many of its leaves to index. */
  readonly size: number;
  readonly behind: number;
}

/** The logs that are not fully indexed yet. */
export function pendingLogs(query: Query): Promise<readonly Pending[]> {
  return query<Pending>(
    `SELECT i.log, l.size, l.size - i.size AS behind FROM writecheck.indexed i JOIN writecheck.log l ON l.number = i.log
     WHERE i.size < l.size ORDER BY i.log`,
  );
}

/**
 * Indexes some of a log's pending leaves, up to `size`, within a transaction; false if none is pending. INVARIANT:
 * rows and progress are committed together under the lock of the log's row, so every record is indexed exactly once.
 */
export async function indexSome(
  query: Query,
  { log, size }: Pick<Pending, 'log' | 'size'>,
): Promise<boolean> {
  // A crash of the machine may lose the newest rows; they are filled in again from the log.
  await query('SET LOCAL synchronous_commit = off');
  const [progress] = await query<{ size: number }>(
    'SELECT size FROM writecheck.indexed WHERE log = $1 FOR UPDATE',
    [log],
  );
  const from = progress?.size ?? size;
  if (from >= size) return false;
  const base = log * LEAVES_PER_LOG;
  const segments = await query<StoredSegment>(
    `SELECT position, count, body FROM writecheck.segment WHERE position >= $1 AND position < $2
     ORDER BY position`,
    [base + from, base + Math.min(from + RECORDS_A_STEP, LEAVES_PER_LOG)],
  );
  const last = segments.at(-1);
  if (last === undefined) return false;
  const index = new IndexRows();
  for (const segment of segments) useSegment(segment, (entries) => index.add(segment.position, entries));
  if (index.decisions.length > 0) await write(query, index);
  await query('UPDATE writecheck.indexed SET size = $2 WHERE log = $1', [
    log,
    last.position + last.count - base,
  ]);
  return true;
}

async function write(query: Query, index: IndexRows): Promise<void> {
  const rows = index.decisions.map(rowOf);
  await query(
    INSERT,
    DECISION.columns.map((column) => rows.map((row) => row[column])),
  );
  await runRead(query, countIndexed(index, { keyOf: (workspace) => workspace, rowsAtOnce: 200 }));
}

/** Discards everything, for a rebuild. */
export async function clearIndex(query: Query): Promise<void> {
  await query(LOCK_INDEXED);
  const tables = ['decision', 'daily', 'hourly', 'decision_kind'].map((table) => `writecheck.${table}`);
  const [right] = await query<{ may: boolean }>(
    "SELECT bool_and(has_table_privilege(name, 'TRUNCATE')) AS may FROM unnest($1::text[]) AS t (name)",
    [tables],
  );
  // A DELETE of millions of rows takes minutes and leaves them as bloat.
  if (right!.may) await query(`TRUNCATE ${tables.join(', ')}`);
  else for (const table of tables) await query(`DELETE FROM ${table}`);
  await query('UPDATE writecheck.indexed SET size = 0');
}

/** A process that is filling the index right now may have read the old entries; it has finished after this. */
const LOCK_INDEXED = 'SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE';

export async function unindex(
  { transaction, query }: Connections,
  found: Prunable,
  { keptDecisions }: ReviewsAtPrune,
): Promise<void> {
  await transaction((locked) => locked(LOCK_INDEXED));
  const rows = await query<{ readonly id: string }>(
    'SELECT id FROM writecheck.workspace WHERE $1::text IS NULL OR id = $1',
    [found.workspace ?? null],
  );
  const workspaces = rows.map(({ id }) => id);
  await runRead(query, unindexDecisions(workspaces, found, [...keptDecisions]));
  await transaction(async (locked) => {
    await locked(LOCK_INDEXED);
    await runRead(locked, unindexKinds(found, found.workspace ?? null));
    await runRead(locked, unindexCounts(found, found.workspace ?? null));
  });
}
