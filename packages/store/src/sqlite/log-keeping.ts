/** Continued and recut logs in SQLite: the operations that write. */
import { mayReplace, type SeenRow, type StoredRow } from '../archive/log-rows.ts';
import type { Continuation } from '../port.ts';
import { prepareAppendEntries } from './append-entry.ts';
import type { Db } from './open-database.ts';

const EMPTY_FRONTIER = Buffer.alloc(8);

export function prepareLogKeeping(db: Db) {
  const newestLog = db.prepare('SELECT log, base, size FROM log ORDER BY base DESC, log LIMIT 1');
  const insertLog = db.prepare(
    'INSERT INTO log (log, base, size, frontier, newest_ms) VALUES (?, ?, 0, ?, ?)',
  );
  const renameEmpty = db.prepare(
    `UPDATE log SET log = 'log-' || lower(hex(randomblob(8)))
     WHERE size = 0 AND base = (SELECT max(base) FROM log)`,
  );
  const append = prepareAppendEntries(db);
  const baseOf = db.prepare('SELECT base FROM log WHERE log = ?').pluck();
  const readRow = db.prepare(
    'SELECT position, leaf_hashes AS leafHashes, body FROM segment WHERE log = ? AND position = ?',
  );
  const deleteRow = db.prepare('DELETE FROM segment WHERE log = ? AND position = ?');
  const insertRow = db.prepare('INSERT INTO segment VALUES (?, ?, ?, ?, ?, ?, ?)');
  return {
    recut(log: string, seen: readonly SeenRow[], rows: readonly StoredRow[]): boolean {
      const base = baseOf.get(log) as number;
      const before = seen.flatMap(({ firstIndex }) => {
        const row = readRow.get(log, base + firstIndex) as Pick<StoredRow, 'leafHashes' | 'body'> | undefined;
        return row === undefined ? [] : [{ ...row, firstIndex }];
      });
      const after = rows.map((row) => ({
        ...row,
        leafHashes: asBuffer(row.leafHashes),
        body: asBuffer(row.body),
      }));
      if (!mayReplace(seen, before, after)) return false;
      for (const { firstIndex } of seen) deleteRow.run(log, base + firstIndex);
      for (const { firstIndex, count, oldestMs, latestMs, leafHashes, body } of after) {
        insertRow.run(base + firstIndex, log, count, oldestMs, latestMs, leafHashes, body);
      }
      return true;
    },
    /** Only one log is open, so there is only one to continue. */
    continueLogs([continuation, ...more]: readonly Continuation[]): boolean {
      if (continuation === undefined) {
        // INVARIANT: no log begins twice. The lost part may have begun this one, so it gets another name.
        renameEmpty.run();
        return true;
      }
      const { log, leaf, atMs, from } = continuation;
      const head = newestLog.get() as { log: string; base: number; size: number };
      if (more.length > 0 || head.log !== from.log || head.size !== from.size || head.size === 0)
        return false;
      insertLog.run(log, head.base + head.size, EMPTY_FRONTIER, atMs);
      append(log, [{ leaf, atMs }]);
      return true;
    },
  };
}

/** What crosses to a thread arrives as plain bytes. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
