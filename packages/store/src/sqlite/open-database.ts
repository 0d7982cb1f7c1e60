/** Opens the database file with the settings that durability rests on, and verifies each of them. */
import { chmodSync, closeSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { makeFolders } from '../make-folders.ts';
import { CONVERSION, CONVERTED_VERSION } from './convert.ts';
import type { SameFiles } from './same-files.ts';
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
 * Creates the folder and the database if they are missing, and brings the tables up to date. Done once, at the start.
 */
export function createDatabase(folder: string): Db {
  try {
    makeFolders(folder, 0o700);
    keepPrivate(databasePath(folder));
    keepPrivate(searchPath(folder));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') throw unavailable('read_only', thrown);
    throw toUnavailable(thrown);
  }
  return openForWriting(folder, { fileMustExist: false });
}

const PRIVATE = 0o600;
const OTHERS = 0o077;

/**
 * Only the service's user may read a database, even in a folder that others may enter and under any umask. The files
 * that SQLite creates beside it get the database's permissions; those of an earlier version are corrected.
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
 * A connection that writes to the very file that was there at the start. INVARIANT: it never creates a database, so
 * one that was removed under a running service cannot come back empty and take decisions.
 */
export function openWriter(folder: string, files: SameFiles): Db {
  files.requireIdentity();
  const db = openForWriting(folder, { fileMustExist: true });
  try {
    files.require(db);
    return db;
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}

/** A writing connection makes no checkpoints: another thread does. */
function openForWriting(folder: string, options: Database.Options): Db {
  const db = connect(databasePath(folder), options);
  try {
    const journal = db.pragma('journal_mode = WAL', { simple: true });
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('wal_autocheckpoint = 0');
    db.pragma(`cache_size = -${CACHE_KIB}`);
    // INVARIANT: FULL (2) in WAL mode syncs the log at every commit; anything less may lose acknowledged writes.
    const synchronous = db.pragma('synchronous', { simple: true });
    if (journal !== 'wal' || synchronous !== 2) {
      throw unavailable('io', new Error(`journal_mode is ${journal}, synchronous is ${synchronous}`));
    }
    prepareTables(db);
    return db;
  } catch (thrown) {
    db.close();
    throw toUnavailable(thrown);
  }
}

export function openReader(folder: string): Db {
  const db = connect(databasePath(folder), { readonly: true, fileMustExist: true });
  db.pragma('query_only = ON');
  return db;
}

/** Several processes may start together: it happens under the write lock, after another look. */
function prepareTables(db: Db): void {
  const version = (): number => db.pragma('user_version', { simple: true }) as number;
  if (version() === SCHEMA_VERSION) return;
  db.transaction(() => {
    const from = version();
    if (from === SCHEMA_VERSION) return;
    if (from !== 0 && from !== CONVERTED_VERSION) throw unavailable('corrupt', new Error(wrongVersion(from)));
    db.exec(from === 0 ? SCHEMA : CONVERSION);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}

function wrongVersion(version: number): string {
  const which =
    version > SCHEMA_VERSION ? 'newer than this program knows' : 'older than this program can convert';
  return `schema version ${version} is ${which}`;
}
