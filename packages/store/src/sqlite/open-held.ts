/** Opens a connection that reads, and remembers which file it is. */
import { createDatabase, type Db, databasePath, openLog, openReader } from './open-database.ts';
import { advanceGeneration, type Footprint, footprintOf } from './same-files.ts';
import { toUnavailable } from './store-failure.ts';

interface HeldDatabase {
  readonly db: Db;
  readonly footprint: Footprint;
}

/** As the first of its process: creates the database on first use. */
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

/** Only a connection that has read holds the write-ahead log open, which the last one to close removes. */
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
