/** Takes contents out of segments: whoever has to be forgotten is, and the log still verifies by its hashes. */
import { decidedIn } from '../decided-in.ts';
import { REVIEW_DESK } from '../port/reviews.ts';
import type { PruneQuery } from '../port.ts';
import { isAbout, prunable, type ReviewsAtPrune, type ReviewToKeep, reviewsAtPrune } from '../prune-plan.ts';
import { decodeSegment, encodeSegment, type SegmentEntry, type StoredSegment } from '../segment.ts';
import type { Connections } from './connection.ts';
import { originalText, storableText } from './storable-text.ts';

const SEGMENTS_AT_ONCE = 16;
const ANSWERS_AT_ONCE = 500;
const REVIEWS_AT_ONCE = 500;
const NOTHING = new Uint8Array(0);
const PRUNED: SegmentEntry = { record: NOTHING, leaf: NOTHING };

interface Answer {
  readonly workspace: string;
  readonly key: string;
  readonly request_digest: string;
  readonly response: Buffer;
}

type Wanted = (entry: SegmentEntry) => boolean;

/**
 * Which entries go. Another writer may have recorded a redemption in a log that is read earlier than the decision's,
 * so the decisions of an object are named first and added to `forgotten`, and their redemptions in a second pass.
 */
const passesOf = (query: PruneQuery, reviews: ReviewsAtPrune, forgotten: Set<string>): readonly Wanted[] => {
  const { objectRef } = query;
  const readable = (entry: SegmentEntry) => prunable(entry, query, reviews);
  if (objectRef === undefined) return [(entry) => readable(entry) !== null];
  return [
    (entry) => {
      const found = readable(entry);
      if (found?.kind === 'review') return reviews.ofObject.has(found.review);
      if (found?.kind !== 'decision' || !isAbout(entry, objectRef)) return false;
      forgotten.add(found.leaf.decision_id);
      return true;
    },
    (entry) => {
      const found = readable(entry);
      return found?.kind === 'redemption' && forgotten.has(found.decision_id);
    },
  ];
};

/** Null stands for everything. */
const valuesOf = ({ workspace, beforeMs, objectRef }: PruneQuery) =>
  [workspace ?? null, beforeMs ?? null, objectRef === undefined ? null : storableText(objectRef)] as const;

export const preparePrune = ({ transaction, query: run }: Connections) => {
  /** A few segments in one transaction, so that none is held for long; null at the end. */
  const step = (from: number, beforeMs: number, wanted: Wanted) =>
    transaction(async (query) => {
      const rows = await query<StoredSegment>(
        `SELECT position, count, body FROM writecheck.segment WHERE position >= $1 AND oldest_ms < $2
         ORDER BY position LIMIT ${SEGMENTS_AT_ONCE} FOR UPDATE`,
        [from, beforeMs],
      );
      let pruned = 0;
      for (const segment of rows) {
        const { position } = segment;
        const left = decodeSegment(segment).map((entry) => (wanted(entry) ? PRUNED : entry));
        const emptied = left.filter((entry) => entry === PRUNED).length;
        if (emptied === 0) continue;
        await query('UPDATE writecheck.segment SET body = $2 WHERE position = $1', [
          ...[position, encodeSegment(left)],
        ]);
        pruned += emptied;
      }
      const last = rows.at(-1);
      return { pruned, next: rows.length < SEGMENTS_AT_ONCE ? null : last!.position + 1 };
    });

  /** A kept answer repeats what was asked; without it a repeated request is simply decided anew. */
  const forgetAnswers = async (decisions: ReadonlySet<string>): Promise<void> => {
    for (let after = { workspace: '', key: '' }; ; ) {
      const rows = await run<Answer>(
        `SELECT workspace, key, request_digest, response FROM writecheck.idempotency
         WHERE (workspace, key) > ($1, $2) ORDER BY workspace, key LIMIT ${ANSWERS_AT_ONCE}`,
        [after.workspace, after.key],
      );
      for (const { workspace, key, request_digest, response } of rows) {
        if (!decidedIn(response).some((id) => decisions.has(id))) continue;
        await run(
          'DELETE FROM writecheck.idempotency WHERE workspace = $1 AND key = $2 AND request_digest = $3',
          [workspace, key, request_digest],
        );
      }
      if (rows.length < ANSWERS_AT_ONCE) return;
      after = rows.at(-1)!;
    }
  };

  const lookUpReviews = async (query: PruneQuery): Promise<ReviewsAtPrune> => {
    const [workspace, , objectRef] = valuesOf(query);
    const unfinished = await run<ReviewToKeep>(
      `SELECT id, state, document FROM writecheck.review r WHERE ($1::text IS NULL OR workspace = $1)
         AND (state = 'open' OR (state = 'approved' AND NOT EXISTS (SELECT 1 FROM writecheck.consumed_attestation c
           WHERE c.workspace = r.workspace AND c.source = '${REVIEW_DESK}' AND c.jti = r.id)))`,
      [workspace],
    );
    const ofObject = await run<{ readonly id: string }>(
      'SELECT id FROM writecheck.review WHERE ($1::text IS NULL OR workspace = $1) AND object_ref = $2',
      [workspace, objectRef],
    );
    const [log] = await run<{ readonly newest: number }>(
      'SELECT coalesce(max(newest_ms), 0) AS newest FROM writecheck.log',
    );
    return reviewsAtPrune(
      unfinished.map((row) => ({ ...row, document: originalText(row.document) })),
      ofObject.map(({ id }) => id),
      log!.newest,
    );
  };

  /** The rows repeat the intent. */
  const dropReviews = async (query: PruneQuery, { kept }: ReviewsAtPrune): Promise<void> => {
    for (;;) {
      const gone = await run(
        `WITH gone AS (DELETE FROM writecheck.review WHERE (workspace, id) IN (
             SELECT workspace, id FROM writecheck.review WHERE ($1::text IS NULL OR workspace = $1)
               AND state <> 'open' AND ($2::bigint IS NULL OR resolved_ms < $2)
               AND ($3::text IS NULL OR object_ref = $3) AND id <> ALL ($4::text[]) LIMIT ${REVIEWS_AT_ONCE})
           RETURNING workspace, id),
         untagged AS (DELETE FROM writecheck.review_tag t USING gone g WHERE t.workspace = g.workspace AND t.id = g.id)
         SELECT 1 FROM gone`,
        [...valuesOf(query), [...kept]],
      );
      if (gone.length < REVIEWS_AT_ONCE) return;
    }
  };

  return async (query: PruneQuery): Promise<number> => {
    const { beforeMs = null } = query;
    const forgotten = new Set<string>();
    const reviews = await lookUpReviews(query);
    let emptied = 0;
    for (const wanted of passesOf(query, reviews, forgotten)) {
      for (let next: number | null = 0; next !== null; ) {
        const done: { pruned: number; next: number | null } = await step(
          ...([next, beforeMs ?? Number.MAX_SAFE_INTEGER, wanted] as const),
        );
        emptied += done.pruned;
        next = done.next;
      }
    }
    if (forgotten.size > 0) await forgetAnswers(forgotten);
    await dropReviews(query, reviews);
    await transaction(async (locked) => {
      // Whoever is filling the index right now may have read what was there before.
      await locked('SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE');
      await locked(
        `DELETE FROM writecheck.decision WHERE ($1::text IS NULL OR workspace = $1)
           AND ($2::bigint IS NULL OR at_ms < $2) AND ($3::text IS NULL OR object_ref = $3)
           AND decision_id <> ALL ($4::text[])`,
        [...valuesOf(query), [...reviews.keptDecisions]],
      );
    });
    return emptied;
  };
};
