/** Copies a whole SQLite store into an empty PostgreSQL database, in one transaction, all or nothing. */
import { existsSync } from 'node:fs';
import { Frontier } from '@writecheck/ledger/log';
import Database from 'better-sqlite3';
import type pg from 'pg';
import { LEAVES_PER_LOG } from './log/log-positions.ts';
import { StoreUnavailable } from './port/failure.ts';
import type { Progress } from './port/log.ts';
import { abandon, connectTo, DURABLE } from './postgres/connect.ts';
import { BEGIN, type Query, queryOn, settings } from './postgres/connection.ts';
import { toUnavailable as postgresFailure } from './postgres/postgres-failure.ts';
import { prepareDatabase } from './postgres/prepare-database.ts';
import { storableId, storableText } from './postgres/storable-text.ts';
import { HASH_BYTES, sha256 } from './sha256.ts';
import { type Db, databasePath } from './sqlite/open-database.ts';
import { SCHEMA_VERSION } from './sqlite/schema.ts';
import { toUnavailable as sqliteFailure } from './sqlite/store-failure.ts';
import type { LogRow } from './tables/log.ts';
import { TABLES } from './tables/operations.ts';
import { type Column, columnsOf } from './tables/schema.ts';

type Row = { readonly [column: string]: unknown };
type SqliteLogRow = LogRow & { readonly base: number };

interface SegmentRow {
  readonly position: number;
  readonly log: string;
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

const BUSY_MS = 10_000;

/** Keeps every process from writing to the old store, whether it is running or started later. */
const CLOSING = `
CREATE TRIGGER moved_segment BEFORE INSERT ON segment BEGIN SELECT RAISE(ABORT, 'moved'); END;
CREATE TRIGGER moved_log BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'moved'); END;
COMMIT`;

/**
 * Rejects with `StoreUnavailable`. Nobody can write to the SQLite store while it runs or afterwards: a log that grew
 * in two places would be two logs.
 */
export async function copyStore(folder: string, url: string, progress?: Progress): Promise<Copied> {
  if (!existsSync(databasePath(folder))) throw refuse('there is no SQLite database in that folder');
  const from = new Database(databasePath(folder), { fileMustExist: true, timeout: BUSY_MS });
  try {
    from.pragma('synchronous = FULL');
    from.exec('BEGIN IMMEDIATE');
    if (from.pragma('user_version', { simple: true }) !== SCHEMA_VERSION)
      throw refuse(
        'the SQLite database is of another version; copy it with the version of Writecheck that made it',
      );
    await prepareDatabase(url);
    const copied = await inTransaction(url, (to) => copyInto(from, to, progress));
    from.exec(CLOSING);
    return copied;
  } catch (thrown) {
    throw thrown instanceof Database.SqliteError ? sqliteFailure(thrown) : postgresFailure(thrown);
  } finally {
    from.close();
  }
}

async function inTransaction<T>(url: string, work: (query: Query) => Promise<T>): Promise<T> {
  const client: pg.Client = await connectTo(url, settings(true));
  try {
    const query = queryOn(client);
    await query(BEGIN);
    const done = await work(query);
    await query(`SELECT ${DURABLE}`);
    await query('COMMIT');
    await client.end().catch(() => undefined);
    return done;
  } catch (thrown) {
    abandon(client);
    throw thrown;
  }
}

async function copyInto(from: Db, to: Query, progress?: Progress): Promise<Copied> {
  await to('LOCK TABLE writecheck.log, writecheck.workspace IN ACCESS EXCLUSIVE MODE');
  const held = await to(
    'SELECT 1 FROM writecheck.workspace UNION ALL SELECT 1 FROM writecheck.log WHERE size > 0',
  );
  const logs = from.prepare('SELECT * FROM log ORDER BY base, log').all() as SqliteLogRow[];
  const workspaces = from.prepare('SELECT count(*) FROM workspace').pluck().get() as number;
  const copied = { workspaces, logs: logs.map(({ log, size }) => ({ log, size })) };
  if (held.length > 0) {
    if (await holdsAll(to, from, logs)) return { ...copied, isFinishedOnly: true };
    throw refuse(
      'the PostgreSQL database already contains a workspace; nothing was changed, give an empty database',
    );
  }
  await to('DELETE FROM writecheck.indexed');
  await to('DELETE FROM writecheck.log');
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
    });
    // The index is rebuilt from the segments.
    await insertRow(to, 'indexed', { log: number, size: 0 });
    await copyLog(from, to, log, number, (entries) => {
      done += entries;
      progress?.(done, total);
    });
  }
  return { ...copied, isFinishedOnly: false };
}

async function insertRow(to: Query, table: string, row: Row): Promise<void> {
  const columns = Object.keys(row);
  const places = columns.map((_, i) => `$${i + 1}`).join(', ');
  await to(`INSERT INTO writecheck.${table} (${columns.join(', ')}) VALUES (${places})`, Object.values(row));
}

function rowsOf<T = Row>(from: Db, text: string, ...values: readonly unknown[]): Iterable<T> {
  return from.prepare(text).iterate(values) as Iterable<T>;
}

/** Everybody signs in again, and the limit on test deliveries starts again. */
const STAYING: readonly string[] = ['session', 'one_time', 'webhook_call'];

/** Logs and segments are copied after these. */
async function copyTables(from: Db, to: Query): Promise<void> {
  for (const [table, columns] of columnsOf(TABLES)) {
    if (STAYING.includes(table)) continue;
    const isNumbered = columns.some(({ isGenerated }) => isGenerated);
    for (const row of rowsOf(from, `SELECT * FROM ${table}${isNumbered ? ' ORDER BY number' : ''}`))
      await insertRow(to, table, storable(columns, row));
  }
  // No process holds the lease of a webhook any more.
  await to("UPDATE writecheck.webhook SET holder = '', leased_until_ms = 0");
  // Earlier charges count everywhere: all rows are added up, with a limit or without.
  for (const row of rowsOf(from, 'SELECT *, -1 AS log FROM usage')) await insertRow(to, 'usage', row);
  for (const { number: _, ...row } of rowsOf(from, 'SELECT * FROM idempotency'))
    await insertRow(to, 'idempotency', row);
}

/** The row as PostgreSQL stores it, which counts up generated columns itself. */
function storable(columns: readonly Column[], row: Row): Row {
  const given = columns.filter(({ isGenerated }) => !isGenerated);
  return Object.fromEntries(given.map(({ name, type }) => [name, storableAs(type, row[name])]));
}

function storableAs(type: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  // INVARIANT: a used or revoked id stays so, in the form in which PostgreSQL compares it.
  if (type === 'compared') return storableId(value);
  return type === 'escaped' ? storableText(value) : value;
}

/**
 * Whether an earlier run copied everything and was interrupted before it closed the SQLite store: the last segment of
 * each log is already there, and it copies all or nothing. The hashes in it belong to no other store.
 */
async function holdsAll(to: Query, from: Db, logs: readonly SqliteLogRow[]): Promise<boolean> {
  const closed = from.prepare("SELECT 1 FROM sqlite_master WHERE name = 'moved_log'").all();
  const grown = logs.filter(({ size }) => size > 0);
  if (closed.length > 0 || grown.length === 0) return false;
  for (const { log, base } of grown) {
    const last = from
      .prepare('SELECT position, leaf_hashes FROM segment WHERE log = ? ORDER BY position DESC LIMIT 1')
      .get(log) as SegmentRow;
    const found = await to(
      `SELECT 1 FROM writecheck.segment s JOIN writecheck.log l ON s.position = l.number * ${LEAVES_PER_LOG} + $2
       WHERE l.log = $1 AND s.leaf_hashes = $3`,
      [log, last.position - base, last.leaf_hashes],
    );
    if (found.length === 0) return false;
  }
  return true;
}

async function copyLog(
  from: Db,
  to: Query,
  { log, base, size, frontier }: SqliteLogRow,
  number: number,
  copied: (entries: number) => void,
): Promise<void> {
  const tree = new Frontier(sha256);
  const segments = rowsOf<SegmentRow>(from, 'SELECT * FROM segment WHERE log = ? ORDER BY position', log);
  for (const { log: _, ...segment } of segments) {
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
  for (const node of rowsOf(from, 'SELECT * FROM node WHERE log = ?', log))
    await insertRow(to, 'node', { ...node, log: number });
}
