/** Reads the log of a SQLite file at length, in short reads: a long one would keep the write-ahead log growing. */
import type { LogReading } from '../port/log-reading.ts';
import { LOG_READS } from '../tables/log-reading.ts';
import { methodsOf } from '../tables/operation.ts';
import { openReader } from './open-database.ts';
import { readsOn } from './run-operation.ts';

export function openSqliteLog(folder: string): LogReading {
  const db = openReader(folder);
  return { ...methodsOf(LOG_READS, readsOn(db)), close: async () => void db.close() };
}
