/** Takes contents out of segments: whoever has to be forgotten is, and the log still verifies by its hashes. */
import { decidedIn } from '../decided-in.ts';
import { REVIEW_DESK } from '../port/reviews.ts';
import type { PruneQuery } from '../port.ts';
import { isAbout, prunable, type ReviewsAtPrune, type ReviewToKeep, reviewsAtPrune } from '../prune-plan.ts';
import { decodeSegment, encodeSegment, type SegmentEntry, type StoredSegment } from '../segment.ts';
import type { Db } from './open-database.ts';

const SEGMENTS_AT_ONCE = 32;
const ANSWERS_AT_ONCE = 500;
const REVIEWS_AT_ONCE = 500;
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
  stored: SegmentEntry,
  query: PruneQuery,
  reviews: ReviewsAtPrune,
  forgotten: Set<string>,
): boolean => {
  const entry = prunable(stored, query, reviews);
  if (entry === null) return false;
  if (query.objectRef === undefined) return true;
  if (entry.kind === 'review') return reviews.ofObject.has(entry.review);
  if (entry.kind === 'redemption') return forgotten.has(entry.decision_id);
  if (!isAbout(stored, query.objectRef)) return false;
  forgotten.add(entry.leaf.decision_id);
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
  const newest = db.prepare('SELECT max(newest_ms) FROM log').pluck();
  const unfinished = db.prepare(
    `SELECT id, state, document FROM review r WHERE (@workspace IS NULL OR workspace = @workspace)
       AND (state = 'open' OR (state = 'approved' AND NOT EXISTS (SELECT 1 FROM consumed_attestation c
         WHERE c.workspace = r.workspace AND c.source = '${REVIEW_DESK}' AND c.jti = r.id)))`,
  );
  const ofObject = db
    .prepare(
      'SELECT id FROM review WHERE (@workspace IS NULL OR workspace = @workspace) AND object_ref = @objectRef',
    )
    .pluck();
  const readReviews = db.prepare(
    `SELECT number, workspace, id FROM review WHERE (@workspace IS NULL OR workspace = @workspace)
       AND state <> 'open' AND (@beforeMs IS NULL OR resolved_ms < @beforeMs)
       AND (@objectRef IS NULL OR object_ref = @objectRef) AND id NOT IN (SELECT value FROM json_each(@kept))
     LIMIT ${REVIEWS_AT_ONCE}`,
  );
  const dropReview = db.prepare('DELETE FROM review WHERE number = ?');
  const dropTags = db.prepare('DELETE FROM review_tag WHERE workspace = ? AND id = ?');
  /** Null stands for everything. */
  const namesOf = ({ workspace, beforeMs, objectRef }: PruneQuery) => ({
    workspace: workspace ?? null,
    beforeMs: beforeMs ?? null,
    objectRef: objectRef ?? null,
  });
  return {
    /** A kept answer repeats what was asked; without it a repeated request is simply decided anew. */
    forgetAnswers(decisions: ReadonlySet<string>, after: number): number | null {
      const rows = readAnswers.all(after) as { readonly number: number; readonly response: Buffer }[];
      for (const { number, response } of rows) {
        if (decidedIn(response).some((id) => decisions.has(id))) dropAnswer.run(number);
      }
      return rows.length < ANSWERS_AT_ONCE ? null : rows.at(-1)!.number;
    },

    reviewsAtPrune(query: PruneQuery): ReviewsAtPrune {
      const { workspace, objectRef } = namesOf(query);
      return reviewsAtPrune(
        unfinished.all({ workspace }) as ReviewToKeep[],
        objectRef === null ? [] : (ofObject.all({ workspace, objectRef }) as string[]),
        newest.get() as number,
      );
    },

    /** The rows repeat the intent. Some at a time; returns how many. */
    dropReviews(query: PruneQuery, { kept }: ReviewsAtPrune): number {
      const rows = readReviews.all({ ...namesOf(query), kept: JSON.stringify([...kept]) }) as {
        readonly number: number;
        readonly workspace: string;
        readonly id: string;
      }[];
      for (const { number, workspace, id } of rows) {
        dropReview.run(number);
        dropTags.run(workspace, id);
      }
      return rows.length;
    },

    pruneStep(
      query: PruneQuery,
      reviews: ReviewsAtPrune,
      from: number,
      earlier: ReadonlySet<string>,
    ): PruneStep {
      const forgotten = new Set(earlier);
      const rows = read.all(from, query.beforeMs ?? Number.MAX_SAFE_INTEGER) as StoredSegment[];
      let pruned = 0;
      for (const segment of rows) {
        const { position } = segment;
        const entries = decodeSegment(segment);
        const left = entries.map((entry) => (isNamed(entry, query, reviews, forgotten) ? PRUNED : entry));
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
