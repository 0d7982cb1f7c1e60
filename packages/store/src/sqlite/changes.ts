/** The trail of changes that caches in every process follow, kept in the database and polled a few times a second. */
import type { Trail } from '../change-watcher.ts';
import { CHANGES_KEPT, type ChangeRow, changeOf, type NotedKind } from '../rows.ts';
import type { Db } from './open-database.ts';

type NoteChange = (kind: NotedKind, workspace: string, subject: string) => void;

export function prepareNoteChange(db: Db): NoteChange {
  const insert = db.prepare('INSERT INTO change (kind, workspace, subject) VALUES (?, ?, ?)');
  const trim = db.prepare('DELETE FROM change WHERE number <= ?');
  return (kind, workspace, subject) => {
    const { lastInsertRowid } = insert.run(kind, workspace, subject);
    trim.run(Number(lastInsertRowid) - CHANGES_KEPT);
  };
}

export function prepareTrail(db: Db): Trail {
  const newest = db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'change'").pluck();
  const since = db.prepare(
    'SELECT number, kind, workspace, subject FROM change WHERE number > ? ORDER BY number',
  );
  let seen = (newest.get() as number | undefined) ?? 0;
  return {
    async read() {
      const latest = (newest.get() as number | undefined) ?? 0;
      if (latest === seen) return [];
      const rows = since.all(seen) as ChangeRow[];
      const complete = latest > seen && rows.length >= latest - seen;
      seen = rows.at(-1)?.number ?? latest;
      return complete ? rows.map(changeOf) : [{ kind: 'everything' }];
    },
    lose: () => undefined,
  };
}
