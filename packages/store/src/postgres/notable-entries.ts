/** Reads the entries of a log that webhooks may report, from PostgreSQL. */
import { type Archive, withArchive } from '../archive/archive.ts';
import { NOTABLE_STEP, notableIn } from '../notable-entries.ts';
import type { NotableEntries, NotableEntry } from '../port/webhooks.ts';
import { type StoredSegment, useSegment } from '../segment.ts';
import type { Query } from './connection.ts';
import { LEAVES_PER_LOG } from './schema.ts';

/** Decompresses and parses entries, so this is for a thread that no check waits for. */
export async function notableEntries(
  query: Query,
  archive: Archive,
  log: string,
  from: number,
  workspaces: readonly string[],
): Promise<NotableEntries> {
  const [held] = await query<{ number: number }>('SELECT number FROM writecheck.log WHERE log = $1', [log]);
  if (held === undefined) return { entries: [], next: from };
  const base = held.number * LEAVES_PER_LOG;
  const segments = await query<StoredSegment>(
    `SELECT position, count, body FROM writecheck.segment
     WHERE position + count > $1 AND position < $2 AND position >= coalesce(
       (SELECT position FROM writecheck.segment WHERE position BETWEEN $3 AND $1 ORDER BY position DESC LIMIT 1), $3)
     ORDER BY position`,
    [base + from, base + Math.min(from + NOTABLE_STEP, LEAVES_PER_LOG), base],
  );
  const wanted = new Set(workspaces);
  return withArchive(archive, () => {
    const entries: NotableEntry[] = [];
    let next = from;
    for (const segment of segments) {
      const firstIndex = segment.position - base;
      useSegment(segment, (stored) => {
        entries.push(...notableIn(firstIndex, stored, from, wanted));
      });
      next = firstIndex + segment.count;
    }
    return { entries, next };
  });
}
