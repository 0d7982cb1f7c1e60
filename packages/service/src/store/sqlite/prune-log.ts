/** Takes contents out of segments: whoever has to be forgotten is, and the log still verifies by its hashes. */
import { parseEntry, recordedIntent } from '@writecheck/ledger';
import { decidedIn } from '../decided-in.ts';
import type { PruneQuery } from '../port.ts';
import { decodeSegment, encodeSegment, type SegmentEntry, type StoredSegment } from '../segment.ts';
import type { Db } from './open-database.ts';

const SEGMENTS_AT_ONCE = 32;
const ANSWERS_AT_ONCE = 500;
const NOTHING = new Uint8Array(0);
const PRUNED: SegmentEntry = { record: NOTHING, leaf: NOTHING };

export interface PruneStep {
  readonly pruned: number;
  /** Where to go on; null at the end. */
  readonly next: number | null;
  /** Decisions about the object that were emptied so far, whose redemptions and answers follow them. */
  readonly forgotten: ReadonlySet<string>;
}

/** Adds to `forgotten` what it names. */
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

/** A few rows a call, so that no commit waits long behind it; what a call must know of earlier ones comes with it. */
export const preparePrune = (db: Db) => {
  const read = db.prepare(
    `SELECT position, count, body FROM segment WHERE position >= ? AND oldest_ms < ? ORDER BY position LIMIT ${SEGMENTS_AT_ONCE}`,
  );
  const write = db.prepare('UPDATE segment SET body = ? WHERE position = ?');
  const readAnswers = db.prepare(
    `SELECT number, response FROM idempotency WHERE number > ? ORDER BY number LIMIT ${ANSWERS_AT_ONCE}`,
  );
  const dropAnswer = db.prepare('DELETE FROM idempotency WHERE number = ?');
  return {
    /** A kept answer repeats what was asked; without it a repeated request is simply decided anew. */
    forgetAnswers(decisions: ReadonlySet<string>, after: number): number | null {
      const rows = readAnswers.all(after) as { readonly number: number; readonly response: Buffer }[];
      for (const { number, response } of rows) {
        if (decidedIn(response).some((id) => decisions.has(id))) dropAnswer.run(number);
      }
      return rows.length < ANSWERS_AT_ONCE ? null : rows.at(-1)!.number;
    },

    pruneStep(query: PruneQuery, from: number, earlier: ReadonlySet<string>): PruneStep {
      const forgotten = new Set(earlier);
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
      return { pruned, next: isEnd ? null : last.position + 1, forgotten };
    },
  };
};
