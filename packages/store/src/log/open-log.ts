/** Opens the log of the store that a place names, for a thread that reads it at length. */
import type { LogPlace, LogReading } from '../port/log-reading.ts';

/** Rejects with `StoreUnavailable`. */
export async function openLog(place: LogPlace): Promise<LogReading> {
  switch (place.kind) {
    case 'sqlite':
      return (await import('../sqlite/log-reader.ts')).openSqliteLog(place.folder);
    case 'postgres':
      return (await import('../postgres/log-reader.ts')).openPostgresLog(place.url);
  }
}
