/** Takes contents out of segments: whoever has to be forgotten is, and the log still verifies by its hashes. */
import { parseEntry } from '@writecheck/ledger';
import type { PruneQuery } from '../port.ts';
import { recordedIntent } from '../recorded-intent.ts';
import { decodeSegment, encodeSegment, type SegmentEntry, type StoredSegment } from '../segment.ts';
import type { Db } from './open-database.ts';

const SEGMENTS_AT_ONCE = 32;
const NOTHING = new Uint8Array(0);
const PRUNED: SegmentEntry = { record: NOTHING, leaf: NOTHING };

export interface PruneStep {
  readonly pruned: number;
  /** Where to go on; null at the end. */
  readonly next: number | null;
}

/** `forgotten` collects the ids of decisions about the object, whose redemptions follow them. */
const isNamed = (
  { record, leaf }: SegmentEntry,
  { workspace, beforeMs, objectRef }: PruneQuery,
  forgotten: Set<string>,
): boolean => {
  const entry = leaf.length === 0 ? null : parseEntry(leaf);
  if (entry === null || entry.kind === 'continuation') return false;
  const { workspace: owner, timestamp, decision_id } = entry.kind === 'decision' ? entry.leaf : entry;
  if (workspace !== undefined && owner !== workspace) return false;
  if (beforeMs !== undefined && Date.parse(timestamp) >= beforeMs) return false;
  if (objectRef === undefined) return true;
  if (entry.kind === 'redemption') return forgotten.has(decision_id);
  if (recordedIntent(record).objectRef !== objectRef) return false;
  forgotten.add(decision_id);
  return true;
};

/** A few segments a call, so that no commit waits long behind it. */
export const preparePrune = (db: Db) => {
  const read = db.prepare(
    `SELECT position, count, body FROM segment WHERE position >= ? AND oldest_ms < ? ORDER BY position LIMIT ${SEGMENTS_AT_ONCE}`,
  );
  const write = db.prepare('UPDATE segment SET body = ? WHERE position = ?');
  const forgetAnswers = db.prepare('DELETE FROM idempotency WHERE ? IS NULL OR workspace = ?');
  const forgotten = new Set<string>();
  return {
    pruneStep(query: PruneQuery, from: number): PruneStep {
      if (from === 0) {
        forgotten.clear();
        // A kept answer repeats what was asked; without it a repeated request is simply decided anew.
        const owner = query.workspace ?? null;
        if (query.objectRef !== undefined) forgetAnswers.run(owner, owner);
      }
      const rows = read.all(from, query.beforeMs ?? Number.MAX_SAFE_INTEGER) as StoredSegment[];
      let pruned = 0;
      for (const segment of rows) {
        const { position } = segment;
        const entries = decodeSegment(segment);
        const left = entries.map((entry) => (isNamed(entry, query, forgotten) ? PRUNED : entry));
        const emptied = left.filter((entry) => entry === PRUNED).length;
        if (emptied === 0) continue;
        write.run(encodeSegment(left), position);
        pruned += emptied;
      }
      const last = rows.at(-1);
      const isEnd = last === undefined || rows.length < SEGMENTS_AT_ONCE;
      return { pruned, next: isEnd ? null : last.position + 1 };
    },
  };
};
