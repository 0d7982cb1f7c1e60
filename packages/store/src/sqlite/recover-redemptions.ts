/**
 * Restores redemptions that the log has and the table lacks, because only the log is signed: emptying the table
 * offline makes no allow valid for a second write.
 */
import { parseEntry } from '@writecheck/ledger/log';
import { type StoredSegment, useSegment } from '../log/segment.ts';
import type { Db } from './open-database.ts';

/** An allow is valid for 5 minutes at most, and no clock may be more than one minute behind the log. */
const WINDOW_MS = 10 * 60_000;

const REDEMPTION = Buffer.from('"kind":"redemption"');

export function recoverRedemptions(db: Db): void {
  // Times are stored before the contents of a row, so neither query reads contents that it does not need.
  const newestMs =
    (db.prepare('SELECT newest_ms FROM log ORDER BY base DESC, log LIMIT 1').pluck().get() as
      | number
      | null) ?? 0;
  const older = db
    .prepare('SELECT position FROM segment WHERE latest_ms < ? ORDER BY position DESC LIMIT 1')
    .pluck()
    .get(newestMs - WINDOW_MS) as number | undefined;
  const segments = db
    .prepare('SELECT position, count, body FROM segment WHERE position > ?')
    .iterate(older ?? -1) as Iterable<StoredSegment>;
  const isThere = db.prepare('SELECT 1 FROM redemption WHERE workspace = ? AND decision_id = ?').pluck();
  const missing: (readonly [string, string, string, number])[] = [];
  for (const segment of segments) {
    try {
      useSegment(segment, (entries) => {
        for (const { leaf } of entries) {
          // Most are decisions, which need not be parsed.
          const entry = leaf.includes(REDEMPTION) ? parseEntry(leaf) : null;
          if (entry?.kind !== 'redemption') continue;
          const { workspace, decision_id, keyId, timestamp } = entry;
          if (isThere.get(workspace, decision_id) === undefined)
            missing.push([workspace, decision_id, keyId, Date.parse(timestamp)]);
        }
      });
    } catch {
      // A damaged segment: the check of the log reports it.
    }
  }
  const insert = db.prepare('INSERT OR IGNORE INTO redemption VALUES (?, ?, ?, ?, NULL)');
  for (const row of missing) insert.run(...row);
}
