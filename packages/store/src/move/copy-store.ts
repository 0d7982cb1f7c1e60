/** Copies a whole SQLite store into an empty PostgreSQL database, in one transaction, all or nothing. */
import { existsSync } from 'node:fs';
import { Frontier } from '@writecheck/ledger/log';
import { LEAVES_PER_LOG } from '../log/log-positions.ts';
import { StoreUnavailable } from '../port/failure.ts';
import type { Progress } from '../port/log.ts';
import { prepareDatabase } from '../postgres/migrate.ts';
import { HASH_BYTES, sha256 } from '../sha256.ts';
import { databasePath } from '../sqlite/open-database.ts';
import { SCHEMA_VERSION } from '../sqlite/schema.ts';
import type { LogRow } from '../tables/log.ts';
import { TABLES } from '../tables/operations.ts';
import { columnsOf } from '../tables/schema.ts';
import { type MovedRow, rowFromFile, rowInFile } from './moved-tables.ts';
import { insertRow, openSession, type Session } from './session.ts';

type SqliteLogRow = LogRow & { readonly base: number };

interface SegmentRow {
  readonly position: number;
  readonly count: number;
  readonly leaf_hashes: Buffer;
}

export interface Copied {
  /** If an earlier run had copied everything and was interrupted before it could close the SQLite store. */
  readonly isFinishedOnly: boolean;
  readonly workspaces: number;
  readonly logs: readonly { readonly log: string; readonly size: number }[];
}

function refuse(message: string): StoreUnavailable {
  return new StoreUnavailable('io', message);
}

/** Keeps every process from writing to the old store, whether it is running or started later. */
const CLOSING = [
  "CREATE TRIGGER moved_segment BEFORE INSERT ON segment BEGIN SELECT RAISE(ABORT, 'moved'); END",
  "CREATE TRIGGER moved_log BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'moved'); END",
];

/**
 * Rejects with `StoreUnavailable`. Nobody can write to the SQLite store while it runs or afterwards: a log that grew
 * in two places would be two logs.
 */
export async function copyStore(folder: string, url: string, progress?: Progress): Promise<Copied> {
  if (!existsSync(databasePath(folder))) throw refuse('there is no SQLite database in that folder');
  const from = await openSession({ kind: 'sqlite', folder, archive: null }, 'writing');
  try {
    const [found] = await from.query<{ readonly user_version: number }>('PRAGMA user_version');
    if (found!.user_version !== SCHEMA_VERSION)
      throw refuse('the SQLite database is of another version; run `writecheck migrate` on it first');
    await prepareDatabase(url);
    const to = await openSession({ kind: 'postgres', url, archive: null }, 'writing');
    let copied: Copied;
    try {
      copied = await copyInto(from, to, progress);
    } finally {
      await to.close();
    }
    for (const text of CLOSING) await from.query(text);
    await from.commit();
    return copied;
  } finally {
    await from.close();
  }
}

async function copyInto(from: Session, to: Session, progress?: Progress): Promise<Copied> {
  await to.query('LOCK TABLE writecheck.log, writecheck.workspace IN ACCESS EXCLUSIVE MODE');
  const held = await to.query(
    'SELECT 1 FROM writecheck.workspace UNION ALL SELECT 1 FROM writecheck.log WHERE size > 0',
  );
  const logs = await from.query<SqliteLogRow>('SELECT * FROM log ORDER BY base, log');
  const workspaces = (await from.query('SELECT 1 FROM workspace')).length;
  const copied = { workspaces, logs: logs.map(({ log, size }) => ({ log, size })) };
  if (held.length > 0) {
    if (await holdsAll(to, from, logs)) return { ...copied, isFinishedOnly: true };
    throw refuse(
      'the PostgreSQL database already contains a workspace; nothing was changed, give an empty database',
    );
  }
  await to.query('DELETE FROM writecheck.indexed');
  await to.query('DELETE FROM writecheck.log');
  await copyTables(from, to);
  let done = 0;
  const total = logs.reduce((sum, { size }) => sum + size, 0);
  for (const [number, log] of logs.entries()) {
    await insertRow(to, 'log', {
      number,
      log: log.log,
      size: log.size,
      frontier: log.frontier,
      newest_ms: log.newest_ms,
      is_open: number === logs.length - 1,
      writer: '',
      leased_until: '-infinity',
      is_received: log.is_received === 1,
    });
    // The index is rebuilt from the segments.
    await insertRow(to, 'indexed', { log: number, size: 0 });
    await copyLog(from, to, log, number, (entries) => {
      done += entries;
      progress?.(done, total);
    });
  }
  await to.commit();
  return { ...copied, isFinishedOnly: false };
}

/** Everybody signs in again, and the limit on test deliveries starts again. */
const STAYING: readonly string[] = ['session', 'one_time', 'webhook_call'];

/** Logs and segments are copied after these. */
async function copyTables(from: Session, to: Session): Promise<void> {
  // Impact runs are copied too: one that is in progress fails in the new store, because nobody renews its lease there.
  for (const [table, columns] of columnsOf(TABLES)) {
    if (STAYING.includes(table)) continue;
    const own = columns.filter(({ isGenerated }) => isGenerated).map(({ name }) => name);
    const moved = { table, where: '', own };
    const order = own.length === 0 ? '' : ' ORDER BY number';
    for await (const row of from.each<MovedRow>(`SELECT * FROM ${table}${order}`, []))
      await insertRow(to, table, rowFromFile('postgres', moved, rowInFile('sqlite', moved, row)));
  }
  // Earlier charges count everywhere: all rows are added up, with a limit or without.
  for await (const row of from.each<MovedRow>('SELECT *, -1 AS log FROM usage', []))
    await insertRow(to, 'usage', row);
  for await (const { number: _, ...row } of from.each<MovedRow>('SELECT * FROM idempotency', []))
    await insertRow(to, 'idempotency', row);
}

/**
 * Whether an earlier run copied everything and was interrupted before it closed the SQLite store: the last segment of
 * each log is already there, and it copies all or nothing. The hashes in it belong to no other store.
 */
async function holdsAll(to: Session, from: Session, logs: readonly SqliteLogRow[]): Promise<boolean> {
  const closed = await from.query("SELECT 1 FROM sqlite_master WHERE name = 'moved_log'");
  const grown = logs.filter(({ size }) => size > 0);
  if (closed.length > 0 || grown.length === 0) return false;
  for (const { log, base } of grown) {
    const [last] = await from.query<SegmentRow>(
      'SELECT position, leaf_hashes FROM segment WHERE log = $1 ORDER BY position DESC LIMIT 1',
      [log],
    );
    const found = await to.query(
      `SELECT 1 FROM writecheck.segment s JOIN writecheck.log l ON s.position = l.number * ${LEAVES_PER_LOG} + $2
       WHERE l.log = $1 AND s.leaf_hashes = $3`,
      [log, last!.position - base, last!.leaf_hashes],
    );
    if (found.length === 0) return false;
  }
  return true;
}

async function copyLog(
  from: Session,
  to: Session,
  { log, base, size, frontier }: SqliteLogRow,
  number: number,
  copied: (entries: number) => void,
): Promise<void> {
  const tree = new Frontier(sha256);
  const segments = from.each<SegmentRow>('SELECT * FROM segment WHERE log = $1 ORDER BY position', [log]);
  for await (const { log: _, ...segment } of segments as AsyncIterable<
    SegmentRow & { readonly log: string }
  >) {
    const { count, leaf_hashes } = segment;
    const index = segment.position - base;
    if (index !== tree.size)
      throw refuse(`entry ${tree.size} of log \`${log}\` is missing; nothing was changed`);
    for (let i = 0; i < count; i += 1)
      tree.append(leaf_hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
    await insertRow(to, 'segment', { ...segment, position: number * LEAVES_PER_LOG + index });
    copied(count);
  }
  // INVARIANT: the tree arrives exactly as it left, or nothing arrives.
  if (tree.size !== size || !Buffer.from(tree.toBytes()).equals(frontier))
    throw refuse(`log \`${log}\` does not have the entries it says it has; nothing was changed`);
  for await (const node of from.each<MovedRow>('SELECT * FROM node WHERE log = $1', [log]))
    await insertRow(to, 'node', { ...node, log: number });
}
