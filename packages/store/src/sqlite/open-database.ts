/** Opens the database file with the settings that durability depends on, and verifies each of them. */
import { accessSync, chmodSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeFolders } from '../make-folders.ts';
import { wrongVersion } from '../port/wrong-version.ts';
import type { StoreUnavailable } from '../port.ts';
import { type SameFiles, versionInHeader } from './same-files.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { toUnavailable, unavailable } from './store-failure.ts';

export type Db = Database.Database;

export function databasePath(folder: string): string {
  return join(folder, 'writecheck.db');
}
export function searchPath(folder: string): string {
  return join(folder, 'search.db');
}

const BUSY_TIMEOUT_MS = 2_000;
const CACHE_KIB = 8_192;

function connect(path: string, options: Database.Options): Db {
  try {
    return new Database(path, { timeout: BUSY_TIMEOUT_MS, ...options });
  } catch (thrown) {
    throw toUnavailable(thrown);
  }
}

/**
 * Creates the folder, the database and its tables if they are missing. Called once, at the start. INVARIANT: a
 * database of another version is refused before anything in it or beside it changes.
 */
export function createDatabase(folder: string): Db {
  try {
    requireVersion(versionIn(folder));
    makeFolders(folder, 0o700);
    keepPrivate(databasePath(folder));
    keepPrivate(searchPath(folder));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') throw unavailable('read_only', thrown);
    throw failureIn(folder, thrown);
  }
  const db = openForWriting(folder);
  try {
    createTables(db);
    return db;
  } catch (thrown) {
    db.close();
    throw failureIn(folder, thrown);
  }
}

/**
 * Whether any other connection to the database in this folder is open: without one, the database can be locked
 * exclusively.
 */
export function isOpenElsewhere(folder: string): boolean {
  const db = connect(databasePath(folder), { timeout: 0 });
  try {
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
    return false;
  } catch (thrown) {
    const failure = toUnavailable(thrown);
    if (failure.why !== 'busy') throw failure;
    return true;
  } finally {
    db.close();
  }
}

/** The schema version of the database in this folder; 0 if there is none, or nothing in it. */
function versionIn(folder: string): number {
  const path = databasePath(folder);
  let db: Db | null = null;
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || found.size === 0) return 0;
    const inHeader = isEmpty(`${path}-wal`) ? versionInHeader(path) : null;
    if (inHeader !== null) return inHeader;
    db = connect(path, { readonly: true, fileMustExist: true });
    return versionOf(db);
  } catch (thrown) {
    throw failureIn(folder, thrown);
  } finally {
    db?.close();
  }
}

function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** SQLite reports a read-only mount as a file that cannot be opened. */
function failureIn(folder: string, thrown: unknown): StoreUnavailable {
  const failure = toUnavailable(thrown);
  return failure.why === 'io' && isMountedReadOnly(folder) ? unavailable('read_only', thrown) : failure;
}

function isMountedReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EROFS';
  }
}

const PRIVATE = 0o600;
const OTHERS = 0o077;

/**
 * Only the service's user may read a database, even in a folder that others may enter and under any umask. The files
 * that SQLite creates beside it get the database's permissions; files that a copy left readable are corrected.
 */
export function keepPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
  }
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined || (found.mode & OTHERS) === 0) continue;
    try {
      chmodSync(file, PRIVATE);
    } catch (thrown) {
      // Its owner has decided on its permissions; and it may be gone by now.
      if (!['EPERM', 'ENOENT'].includes((thrown as NodeJS.ErrnoException).code ?? '')) throw thrown;
    }
  }
}

/**
 * A connection that writes to the very file that existed at the start. INVARIANT: it never creates a database,
 * so one that was removed under a running service cannot come back empty and take decisions.
 */
export function openWriter(folder: string, files: SameFiles): Db {
  files.requireIdentity();
  const db = openForWriting(folder);
  try {
    files.require(db);
    if (versionOf(db) !== SCHEMA_VERSION) throw unavailable('version');
    return db;
  } catch (thrown) {
    db.close();
    throw toUnavailable(thrown);
  }
}

/** A writing connection makes no checkpoints: another thread does. */
function openForWriting(folder: string): Db {
  const db = connect(databasePath(folder), { fileMustExist: true });
  try {
    const journal = db.pragma('journal_mode = WAL', { simple: true });
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    // Removed data is overwritten: rewriting the whole file instead would delay commits.
    db.pragma('secure_delete = ON');
    db.pragma('wal_autocheckpoint = 0');
    db.pragma(`cache_size = -${CACHE_KIB}`);
    // INVARIANT: FULL (2) in WAL mode syncs the log at every commit; anything less may lose acknowledged writes.
    const synchronous = db.pragma('synchronous', { simple: true });
    if (journal !== 'wal' || synchronous !== 2) {
      throw unavailable('io', new Error(`journal_mode is ${journal}, synchronous is ${synchronous}`));
    }
    return db;
  } catch (thrown) {
    db.close();
    throw failureIn(folder, thrown);
  }
}

export function openReader(folder: string): Db {
  const db = connect(databasePath(folder), { readonly: true, fileMustExist: true });
  db.pragma('query_only = ON');
  return db;
}

export function versionOf(db: Db): number {
  return db.pragma('user_version', { simple: true }) as number;
}

/** Several processes may start together: tables are created under the write lock, after a second check. */
function createTables(db: Db): void {
  if (versionOf(db) === SCHEMA_VERSION) return;
  db.transaction(() => {
    const found = versionOf(db);
    requireVersion(found);
    if (found === SCHEMA_VERSION) return;
    db.exec(SCHEMA);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}

/** An empty database has none yet. */
function requireVersion(found: number): void {
  if (found === 0 || found === SCHEMA_VERSION) return;
  throw unavailable('version', undefined, wrongVersion(found, SCHEMA_VERSION));
}

/** The log that grows: the newest one in the file. */
export function openLog(db: Db): string {
  return db.prepare('SELECT log FROM log ORDER BY base DESC, log LIMIT 1').pluck().get() as string;
}
