/** Continues the log of a SQLite file in a new log, within the caller's transaction. */
import { EMPTY_FRONTIER } from '../commit/segment-builder.ts';
import type { Continuation } from '../port.ts';
import { prepareAppendEntries } from './append-segment.ts';
import type { Db } from './open-database.ts';

/** Continues the only open log. */
export function continueLogs(db: Db, [continuation, ...more]: readonly Continuation[]): boolean {
  if (continuation === undefined) {
    // INVARIANT: no log begins twice. The lost part may have begun this one, so it gets another name.
    db.exec(
      `UPDATE log SET log = 'log-' || lower(hex(randomblob(8))) WHERE size = 0 AND base = (SELECT max(base) FROM log)`,
    );
    return true;
  }
  const { log, leaf, atMs, from } = continuation;
  const newest = db.prepare('SELECT log, base, size FROM log ORDER BY base DESC, log LIMIT 1');
  const head = newest.get() as { log: string; base: number; size: number };
  if (more.length > 0 || head.log !== from.log || head.size !== from.size || head.size === 0) return false;
  const insert = db.prepare('INSERT INTO log (log, base, size, frontier, newest_ms) VALUES (?, ?, 0, ?, ?)');
  insert.run(log, head.base + head.size, EMPTY_FRONTIER, atMs);
  prepareAppendEntries(db)(log, [{ leaf, atMs }]);
  return true;
}
