/**
 * Restores redemptions that the log has and the table lacks, since only the log is signed: emptying the table offline
 * makes no allow valid for a second write.
 */
import { parseEntry } from '@writecheck/ledger';
import { decodeSegment, type StoredSegment } from '../segment.ts';
import type { Db } from './open-database.ts';

/** An allow is valid for 5 minutes at most, and no clock may be more than one minute behind the log. */
const WINDOW_MS = 10 * 60_000;

export function recoverRedemptions(db: Db): void {
  // Times are stored before the contents of a row, so neither query reads contents that it does not need.
  const newestMs =
    (db.prepare('SELECT newest_ms FROM log ORDER BY base DESC, log LIMIT 1').pluck().get() as
      | number
      | null) ?? 0;
  const older = db
    .prepare('SELECT position FROM segment WHERE horizon_ms < ? ORDER BY position DESC LIMIT 1')
    .pluck()
    .get(newestMs - WINDOW_MS) as number | undefined;
  // A redemption is a commit of its own.
  const segments = db
    .prepare('SELECT position, count, body FROM segment WHERE position > ? AND count = 1')
    .iterate(older ?? -1) as Iterable<StoredSegment>;
  const isThere = db.prepare('SELECT 1 FROM redemption WHERE workspace = ? AND decision_id = ?').pluck();
  const missing: (readonly [string, string, string, number])[] = [];
  for (const segment of segments) {
    const entry = parseEntry(decodeSegment(segment)[0]!.leaf);
    if (entry?.kind !== 'redemption') continue;
    const { workspace, decision_id, keyId, timestamp } = entry;
    if (isThere.get(workspace, decision_id) === undefined)
      missing.push([workspace, decision_id, keyId, Date.parse(timestamp)]);
  }
  const insert = db.prepare('INSERT OR IGNORE INTO redemption VALUES (?, ?, ?, ?, NULL)');
  for (const row of missing) insert.run(...row);
}
