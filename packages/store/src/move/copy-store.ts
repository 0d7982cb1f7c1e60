/** Copies a whole SQLite store into an empty PostgreSQL database, in one transaction, all or nothing. */
import { existsSync } from 'node:fs';
import { Frontier } from '@writecheck/ledger/log';
import Database from 'better-sqlite3';
import type pg from 'pg';
import { LEAVES_PER_LOG } from '../log/log-positions.ts';
import { StoreUnavailable } from '../port/failure.ts';
import type { Progress } from '../port/log.ts';
import { abandon, connectTo } from '../postgres/connect.ts';
import { type Query, queryOn, settings } from '../postgres/connection.ts';
import { prepareDatabase } from '../postgres/migrate.ts';
import { toUnavailable as postgresFailure } from '../postgres/postgres-failure.ts';
import { HASH_BYTES, sha256 } from '../sha256.ts';
import { databasePath } from '../sqlite/open-database.ts';
import { SCHEMA_VERSION } from '../sqlite/schema.ts';
import { toUnavailable as sqliteFailure } from '../sqlite/store-failure.ts';
import { COPIED_TABLES, type Row } from './copied-tables.ts';

interface LogRow {
  readonly log: string;
  readonly base: number;
  readonly size: number;
  readonly frontier: Buffer;
  readonly newest_ms: number;
  readonly is_received: number;
}

interface SegmentRow {
  readonly position: number;
  readonly count: number;
  readonly oldest_ms: number;
  readonly latest_ms: number;
  readonly leaf_hashes: Buffer;
  readonly body: Buffer;
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
const MOVED = `
CREATE TRIGGER moved_segment BEFORE INSERT ON segment BEGIN SELECT RAISE(ABORT, 'moved'); END;
CREATE TRIGGER moved_log BEFORE UPDATE ON log BEGIN SELECT RAISE(ABORT, 'moved'); END;
COMMIT`;

/**
 * Rejects with `StoreUnavailable`. Nobody can write to the SQLite store while it runs or afterwards: a log that grew
 * in two places would be two logs.
 */
export async function copyStore(folder: string, url: string, progress?: Progress): Promise<Copied> {
  if (!existsSync(databasePath(folder))) throw refuse('there is no SQLite database in that folder');
  const from = openSource(folder);
  try {
    await prepareDatabase(url);
    const copied = await copyInto(from, url, progress);
    from.exec(MOVED);
    return copied;
  } finally {
    from.close();
  }
}

function openSource(folder: string): Database.Database {
  const db = new Database(databasePath(folder), { fileMustExist: true, timeout: 2_000 });
  try {
    if (db.pragma('user_version', { simple: true }) !== SCHEMA_VERSION)
      throw refuse('the SQLite database is of another version; run `writecheck migrate` on it first');
    db.pragma('synchronous = FULL');
    db.exec('BEGIN IMMEDIATE');
    return db;
  } catch (thrown) {
    db.close();
    throw sqliteFailure(thrown);
  }
}

async function copyInto(from: Database.Database, url: string, progress?: Progress): Promise<Copied> {
  let client: pg.Client;
  try {
    client = await connectTo(url, settings(true));
  } catch (thrown) {
    throw postgresFailure(thrown);
  }
  try {
    const query = queryOn(client);
    await client.query('BEGIN');
    await client.query('LOCK TABLE writecheck.log, writecheck.workspace IN ACCESS EXCLUSIVE MODE');
    const held = await query(
      'SELECT 1 FROM writecheck.workspace UNION ALL SELECT 1 FROM writecheck.log WHERE size > 0',
    );
    const logs = from.prepare('SELECT * FROM log ORDER BY base, log').all() as LogRow[];
    const workspaces = from.prepare('SELECT count(*) FROM workspace').pluck().get() as number;
    const copied = { workspaces, logs: logs.map(({ log, size }) => ({ log, size })) };
    if (held.length > 0) {
      if (!(await holdsAll(query, from, logs)))
        throw refuse(
          'the PostgreSQL database already contains a workspace; nothing was changed, give an empty database',
        );
      await client.query('ROLLBACK');
      await client.end();
      return { ...copied, isFinishedOnly: true };
    }
    await client.query('DELETE FROM writecheck.indexed; DELETE FROM writecheck.log');
    const insert = async (table: string, row: Row): Promise<void> => {
      const columns = Object.keys(row);
      const places = columns.map((_, i) => `$${i + 1}`).join(', ');
      await query(
        `INSERT INTO writecheck.${table} (${columns.join(', ')}) VALUES (${places})`,
        Object.values(row),
      );
    };
    for (const { from: text, to, change = (row: Row): Row => row } of COPIED_TABLES) {
      for (const row of from.prepare(text).iterate() as Iterable<Row>) await insert(to, change(row));
    }
    let done = 0;
    const total = logs.reduce((sum, { size }) => sum + size, 0);
    const copiedSome = (entries: number): void => {
      done += entries;
      progress?.(done, total);
    };
    for (const [number, log] of logs.entries()) {
      await insert('log', {
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
      await insert('indexed', { log: number, size: 0 });
      await copyLog(from, log, number, insert, copiedSome);
    }
    await client.query('COMMIT');
    await client.end();
    return { ...copied, isFinishedOnly: false };
  } catch (thrown) {
    abandon(client);
    throw postgresFailure(thrown);
  }
}

/**
 * Whether an earlier run copied everything and was interrupted before it closed the SQLite store: the last segment of
 * each log is already there, and it copies all or nothing. The hashes in it belong to no other store.
 */
async function holdsAll(query: Query, from: Database.Database, logs: readonly LogRow[]): Promise<boolean> {
  const newest = from.prepare(
    'SELECT position, leaf_hashes FROM segment WHERE log = ? ORDER BY position DESC LIMIT 1',
  );
  const isClosed = from.prepare("SELECT 1 FROM sqlite_master WHERE name = 'moved_log'").get() !== undefined;
  const grown = logs.filter(({ size }) => size > 0);
  if (isClosed || grown.length === 0) return false;
  for (const { log, base } of grown) {
    const last = newest.get(log) as Pick<SegmentRow, 'position' | 'leaf_hashes'>;
    const found = await query(
      `SELECT 1 FROM writecheck.segment s JOIN writecheck.log l ON s.position = l.number * ${LEAVES_PER_LOG} + $2
       WHERE l.log = $1 AND s.leaf_hashes = $3`,
      [log, last.position - base, last.leaf_hashes],
    );
    if (found.length === 0) return false;
  }
  return true;
}

async function copyLog(
  from: Database.Database,
  { log, base, size, frontier }: LogRow,
  number: number,
  insert: (table: string, row: Row) => Promise<void>,
  copied: (entries: number) => void,
): Promise<void> {
  const tree = new Frontier(sha256);
  const segments = from.prepare('SELECT * FROM segment WHERE log = ? ORDER BY position').iterate(log);
  for (const segment of segments as Iterable<SegmentRow>) {
    const { count, oldest_ms, latest_ms, leaf_hashes, body } = segment;
    const index = segment.position - base;
    if (index !== tree.size)
      throw refuse(`entry ${tree.size} of log \`${log}\` is missing; nothing was changed`);
    for (let i = 0; i < count; i += 1)
      tree.append(leaf_hashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES));
    const position = number * LEAVES_PER_LOG + index;
    await insert('segment', { position, count, oldest_ms, latest_ms, leaf_hashes, body });
    copied(count);
  }
  // INVARIANT: the tree arrives exactly as it left, or nothing arrives.
  if (tree.size !== size || !Buffer.from(tree.toBytes()).equals(frontier))
    throw refuse(`log \`${log}\` does not have the entries it says it has; nothing was changed`);
  const nodes = from.prepare('SELECT level, number, hash FROM node WHERE log = ?').iterate(log);
  for (const node of nodes as Iterable<Row>) await insert('node', { log: number, ...node });
}
