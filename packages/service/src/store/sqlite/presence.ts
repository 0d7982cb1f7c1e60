/**
 * Tells a starting process whether it is the only one on this store: by a lock that ends with its process, however that
 * ends. Leases tell the same, but only when they lapse.
 */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { keepPrivate } from './open-database.ts';

const WAIT_MS = 2_000;

export interface Presence {
  /** No other process has the store open; nor can one open it before `settle`. */
  readonly isAlone: boolean;
  /** Lets others in; from here on they are not alone. */
  settle(): void;
  leave(): void;
}

export function enter(folder: string): Presence {
  const path = join(folder, 'presence.db');
  keepPrivate(path);
  const db = new Database(path, { timeout: 0 });
  const isAlone = succeeds(() => db.exec('BEGIN EXCLUSIVE'));
  return {
    isAlone,
    settle() {
      if (isAlone) db.exec('COMMIT');
      db.pragma(`busy_timeout = ${WAIT_MS}`);
      // A read transaction shares the lock. Without it, a later process may end our runs: bad luck, but no harm.
      succeeds(() => db.exec('BEGIN; SELECT count(*) FROM sqlite_schema'));
    },
    leave: () => void db.close(),
  };
}

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}
