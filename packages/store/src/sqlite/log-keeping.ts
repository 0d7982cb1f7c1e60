/** Continues the log of a SQLite file in another one. */
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
  return {
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
