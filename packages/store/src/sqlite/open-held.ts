/** Opens a connection that reads, and remembers which file it is. */
import { createDatabase, type Db, databasePath, openLog, openReader } from './open-database.ts';
import { advanceGeneration, type Footprint, footprintOf } from './same-files.ts';
import { toUnavailable } from './store-failure.ts';

interface HeldDatabase {
  readonly db: Db;
  readonly footprint: Footprint;
}

/** Opens the first connection of a process, and creates the database on first use. */
export function openFirst(folder: string): HeldDatabase {
  const creator = createDatabase(folder);
  try {
    advanceGeneration(creator);
    creator.pragma('wal_checkpoint(PASSIVE)');
    return openHeld(folder);
  } catch (thrown) {
    throw toUnavailable(thrown);
  } finally {
    creator.close();
  }
}

/** Reads once, because only then does a connection hold the write-ahead log open; the last to close removes it. */
export function openHeld(folder: string): HeldDatabase {
  const db = openReader(folder);
  try {
    openLog(db);
    return { db, footprint: footprintOf(databasePath(folder)) };
  } catch (thrown) {
    db.close();
    throw thrown;
  }
}
