/** Converts a SQLite database of the previous schema, while no other process has it open. */
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Migration, MigrationOptions, PlannedMigration } from '../port/migration.ts';
import { CONVERSION, CONVERTED_VERSION } from './convert.ts';
import { databasePath, requireVersion, versionIn, versionOf } from './open-database.ts';
import { SCHEMA_VERSION } from './schema.ts';
import { toUnavailable, unavailable } from './store-failure.ts';

const LOOK_EVERY_MS = 100;
const IN_USE = 'another process has the database open';

/** Null if there is nothing to do. Throws `StoreUnavailable` if this program cannot do it. */
export function plannedMigration(folder: string): PlannedMigration | null {
  const from = migratedFrom(folder);
  if (from === null) return null;
  return { from, to: SCHEMA_VERSION, users: isInUse(folder) ? [`${IN_USE}; stop it first`] : [] };
}

/** Null if there was nothing to do. Rejects with `StoreUnavailable`; then nothing has changed. */
export async function migrateDatabase(
  folder: string,
  { lockTimeoutMs, tell }: MigrationOptions,
): Promise<Migration | null> {
  const startedMs = performance.now();
  for (let isFirst = true; ; isFirst = false) {
    const from = migratedFrom(folder);
    if (from === null) return null;
    if (converted(folder)) return { from, to: SCHEMA_VERSION };
    if (performance.now() - startedMs >= lockTimeoutMs) {
      const message = `${IN_USE}, and did not close it in time; stop the service and every command on it, then try again`;
      throw unavailable('busy', undefined, message);
    }
    if (isFirst) tell(`waiting: ${IN_USE}`);
    await sleep(LOOK_EVERY_MS);
  }
}

function migratedFrom(folder: string): number | null {
  const found = versionIn(folder);
  if (found === CONVERTED_VERSION) return found;
  requireVersion(found);
  return null;
}

function isInUse(folder: string): boolean {
  return onExclusive(folder, () => undefined) === 'busy';
}

/** False if another process has it open. */
function converted(folder: string): boolean {
  const done = onExclusive(folder, (db) => {
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.transaction(() => {
      if (versionOf(db) !== CONVERTED_VERSION) return;
      db.exec(CONVERSION);
      db.pragma(`user_version = ${SCHEMA_VERSION}`);
    }).immediate();
  });
  return done === 'done';
}

/**
 * INVARIANT: every open connection holds a lock on the file, so this one is alone. Otherwise a running earlier
 * version would continue on tables that it does not know, and not start again.
 */
function onExclusive(folder: string, work: (db: Database.Database) => void): 'done' | 'busy' {
  let db: Database.Database | null = null;
  try {
    db = new Database(databasePath(folder), { fileMustExist: true, timeout: 0 });
    // This must precede the first read: later, SQLite would share the write-ahead log with others.
    db.pragma('locking_mode = EXCLUSIVE');
    versionOf(db);
    work(db);
    return 'done';
  } catch (thrown) {
    const failure = toUnavailable(thrown);
    if (failure.why === 'busy') return 'busy';
    throw failure;
  } finally {
    db?.close();
  }
}
