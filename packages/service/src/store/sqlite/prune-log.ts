/** Empties entries of the log in SQLite, a few rows a call, so that no commit waits long behind it. */
import type { PruneQuery } from '../port.ts';
import { holdsAnyOf } from '../prune/kept-decisions.ts';
import { pruneSegment } from '../prune/prune-segment.ts';
import type { StoredSegment } from '../segment.ts';
import type { Db } from './open-database.ts';

const SEGMENTS_AT_ONCE = 32;
const ANSWERS_AT_ONCE = 500;

export interface PruneStep {
  readonly pruned: number;
  /** Where to continue; null at the end. */
  readonly next: number | null;
  /** Decisions about the object that were emptied so far, whose redemptions and answers follow them. */
  readonly forgotten: ReadonlySet<string>;
}

/** What a call must know of earlier ones is passed to it. */
export function preparePrune(db: Db) {
  const read = db.prepare(
    `SELECT position, count, body FROM segment WHERE position >= ? AND oldest_ms < ? ORDER BY position LIMIT ${SEGMENTS_AT_ONCE}`,
  );
  const write = db.prepare('UPDATE segment SET body = ? WHERE position = ?');
  const readAnswers = db.prepare(
    `SELECT number, response FROM idempotency WHERE number > ? ORDER BY number LIMIT ${ANSWERS_AT_ONCE}`,
  );
  const dropAnswer = db.prepare('DELETE FROM idempotency WHERE number = ?');
  return {
    forgetAnswers(decisions: ReadonlySet<string>, after: number): number | null {
      const rows = readAnswers.all(after) as { readonly number: number; readonly response: Buffer }[];
      for (const { number, response } of rows) {
        if (holdsAnyOf(response, decisions)) dropAnswer.run(number);
      }
      return rows.length < ANSWERS_AT_ONCE ? null : rows.at(-1)!.number;
    },

    /** One pass is enough: a redemption stands behind its decision, over all logs of the file. */
    pruneStep(query: PruneQuery, from: number, earlier: ReadonlySet<string>): PruneStep {
      const forgotten = new Set(earlier);
      const rows = read.all(from, query.beforeMs ?? Number.MAX_SAFE_INTEGER) as StoredSegment[];
      let pruned = 0;
      for (const segment of rows) {
        const left = pruneSegment(segment, query, forgotten);
        if (left === null) continue;
        write.run(left.body, segment.position);
        pruned += left.emptied;
      }
      const last = rows.at(-1);
      const isEnd = last === undefined || rows.length < SEGMENTS_AT_ONCE;
      return { pruned, next: isEnd ? null : last.position + 1, forgotten };
    },
  };
}
