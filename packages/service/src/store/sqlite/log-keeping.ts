/** Checkpoints, published keys and continued logs in SQLite: the operations that write. */
import type { Continuation, StoredCheckpoint } from '../port.ts';
import { prepareAppendEntries } from './append-entry.ts';
import type { Db } from './open-database.ts';

const EMPTY_FRONTIER = Buffer.alloc(8);

export function prepareLogKeeping(db: Db) {
  const keep = db.prepare(
    `INSERT INTO checkpoint VALUES (@log, @size, @note, @frontier) ON CONFLICT (log) DO UPDATE SET
       size = excluded.size, note = excluded.note, frontier = excluded.frontier WHERE excluded.size > size`,
  );
  const publish = db.prepare(
    'INSERT INTO verifier_key (line, published_ms) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const newestLog = db.prepare('SELECT log, base, size FROM log ORDER BY base DESC, log LIMIT 1');
  const insertLog = db.prepare('INSERT INTO log VALUES (?, ?, 0, ?, ?)');
  const append = prepareAppendEntries(db);
  return {
    keepCheckpoint({ log, size, note, frontier }: StoredCheckpoint): void {
      keep.run({ log, size, note, frontier });
    },
    publishVerifierKey(line: string, nowMs: number): void {
      publish.run(line, nowMs);
    },
    /** Only one log is open, so there is only one to continue. */
    continueLogs([continuation, ...more]: readonly Continuation[]): boolean {
      if (continuation === undefined) return true;
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
