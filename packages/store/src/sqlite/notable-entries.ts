/** Reads the entries of a log that webhooks may report, from SQLite. */
import { NOTABLE_STEP, notableIn } from '../notable-entries.ts';
import type { NotableEntries, NotableEntry } from '../port/webhooks.ts';
import { type StoredSegment, useSegment } from '../segment.ts';
import type { Db } from './open-database.ts';

/** Decompresses and parses entries, so this is for a thread that no check waits for. */
export function notableEntries(
  db: Db,
  log: string,
  from: number,
  workspaces: readonly string[],
): NotableEntries {
  const base = db.prepare('SELECT base FROM log WHERE log = ?').pluck().get(log) as number | undefined;
  if (base === undefined) return { entries: [], next: from };
  const pending = db.prepare(
    `SELECT position, count, body FROM segment WHERE log = @log AND position + count > @from AND position >=
       coalesce((SELECT max(position) FROM segment WHERE position <= @from), 0)
     ORDER BY position`,
  );
  const wanted = new Set(workspaces);
  const entries: NotableEntry[] = [];
  let next = from;
  for (const row of pending.iterate({ log, from: base + from })) {
    const segment = row as StoredSegment;
    const firstIndex = segment.position - base;
    useSegment(segment, (stored) => {
      entries.push(...notableIn(firstIndex, stored, from, wanted));
    });
    next = firstIndex + segment.count;
    if (next - from >= NOTABLE_STEP) break;
  }
  return { entries, next };
}
