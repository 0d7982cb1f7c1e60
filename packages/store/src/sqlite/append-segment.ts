/** The end of a log in SQLite: reads it, and appends one segment to it, within the caller's transaction. */
import { type BuiltSegment, type Head, type NewEntry, segmentOf } from '../commit/segment-builder.ts';
import { encodeSegment } from '../log/segment.ts';
import type { Db } from './open-database.ts';
import { unavailable } from './store-failure.ts';

/** A head that also has the position of the log's first leaf among the leaves of all logs. */
interface SqliteHead extends Head {
  readonly base: number;
}

interface LogRow {
  readonly base: number;
  readonly size: number;
  readonly frontier: Buffer;
  readonly newest_ms: number;
}

export function prepareAppendSegment(db: Db) {
  const readLog = db.prepare('SELECT base, size, frontier, newest_ms FROM log WHERE log = ?');
  const writeLog = db.prepare('UPDATE log SET size = ?, frontier = ?, newest_ms = ? WHERE log = ?');
  const writeSegment = db.prepare('INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?)');
  const writeNode = db.prepare('INSERT INTO node VALUES (?, ?, ?, ?)');
  return {
    /**
     * INVARIANT: read from the database in every transaction, never cached: another process may have appended, and
     * after a failed commit memory would be wrong.
     */
    headOf(log: string): SqliteHead {
      const row = readLog.get(log) as LogRow | undefined;
      if (row === undefined) throw unavailable('corrupt', new Error('the log to append to is gone'));
      const { base, size, frontier, newest_ms: newestMs } = row;
      return { log, base, size, frontier, newestMs };
    },

    /**
     * `body` is the stored form of the segment's entries. Returns the end of the log, which must be written before the
     * transaction ends.
     */
    appendSegment({ log, base, size }: SqliteHead, segment: BuiltSegment, body: Buffer): SqliteHead {
      const { entries, oldestMs, leafHashes, nodes, next } = segment;
      writeSegment.run(base + size, log, entries.length, oldestMs, next.newestMs, leafHashes, body);
      for (const { level, number, hash } of nodes) writeNode.run(log, level, number, hash);
      return { ...next, base };
    },

    writeHead({ log, size, frontier, newestMs }: SqliteHead): void {
      writeLog.run(size, frontier, newestMs, log);
    },
  };
}

/** Appends entries that are not decisions, as one segment. */
export function prepareAppendEntries(db: Db) {
  const { headOf, appendSegment, writeHead } = prepareAppendSegment(db);
  return (log: string, entries: readonly NewEntry[]): void => {
    const head = headOf(log);
    const segment = segmentOf(head, entries);
    writeHead(appendSegment(head, segment, encodeSegment(segment.entries)));
  };
}
