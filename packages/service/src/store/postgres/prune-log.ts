/** Empties entries of the logs in PostgreSQL, a few segments per transaction, so that no lock is held for long. */
import { REVIEW_DESK } from '@writecheck/contract';
import type { PruneQuery } from '../port.ts';
import { holdsAnyOf } from '../prune/kept-decisions.ts';
import { type Pass, pruneSegment } from '../prune/prune-segment.ts';
import { type ReviewsAtPrune, type ReviewToKeep, reviewsAtPrune } from '../prune/reviews-at-prune.ts';
import type { StoredSegment } from '../segment.ts';
import type { Connections } from './connection.ts';
import { originalText, storableText } from './storable-text.ts';

const SEGMENTS_AT_ONCE = 16;
const ANSWERS_AT_ONCE = 500;
const REVIEWS_AT_ONCE = 500;

interface AnswerRow {
  readonly workspace: string;
  readonly key: string;
  readonly request_digest: string;
  readonly response: Buffer;
}

interface Pruning {
  readonly query: PruneQuery;
  readonly reviews: ReviewsAtPrune;
  /** Decisions about the object found so far. */
  readonly forgotten: Set<string>;
  readonly onlyCounts: boolean;
}

interface Step {
  readonly emptied: number;
  /** Where to continue; null at the end. */
  readonly next: number | null;
}

/**
 * Another writer may have recorded a redemption in a log that is read before the decision's log. So a first pass names
 * the decisions of an object, and a second pass their redemptions.
 */
function passesOf({ objectRef }: PruneQuery): readonly Pass[] {
  return objectRef === undefined ? [undefined] : ['others', 'redemptions'];
}

/** Null means everything. */
function parametersOf({ workspace, beforeMs, objectRef }: PruneQuery) {
  return [
    workspace ?? null,
    beforeMs ?? null,
    objectRef === undefined ? null : storableText(objectRef),
  ] as const;
}

export function preparePrune({ transaction, query: run }: Connections) {
  function step(from: number, pruning: Pruning, pass: Pass): Promise<Step> {
    const { query, reviews, forgotten, onlyCounts } = pruning;
    return transaction(async (locked) => {
      const rows = await locked<StoredSegment>(
        `SELECT position, count, body FROM writecheck.segment WHERE position >= $1 AND oldest_ms < $2
         ORDER BY position LIMIT ${SEGMENTS_AT_ONCE} FOR UPDATE`,
        [from, query.beforeMs ?? Number.MAX_SAFE_INTEGER],
      );
      let emptied = 0;
      for (const segment of rows) {
        const left = pruneSegment(segment, query, reviews, forgotten, pass);
        if (left === null) continue;
        emptied += left.emptied;
        if (onlyCounts) continue;
        await locked('UPDATE writecheck.segment SET body = $2 WHERE position = $1', [
          segment.position,
          left.body,
        ]);
        // INVARIANT: in the same transaction, so that a run sees the decisions or their number.
        for (const { workspace, day, decisions } of left.days) {
          await locked(
            `INSERT INTO writecheck.pruned_day AS p VALUES ($1, $2, $3)
             ON CONFLICT (workspace, day) DO UPDATE SET decisions = p.decisions + excluded.decisions`,
            [workspace, day, decisions],
          );
        }
      }
      return { emptied, next: rows.length < SEGMENTS_AT_ONCE ? null : rows.at(-1)!.position + 1 };
    });
  }

  async function forgetAnswers(decisions: ReadonlySet<string>): Promise<void> {
    for (let after = { workspace: '', key: '' }; ; ) {
      const rows = await run<AnswerRow>(
        `SELECT workspace, key, request_digest, response FROM writecheck.idempotency
         WHERE (workspace, key) > ($1, $2) ORDER BY workspace, key LIMIT ${ANSWERS_AT_ONCE}`,
        [after.workspace, after.key],
      );
      for (const { workspace, key, request_digest, response } of rows) {
        if (!holdsAnyOf(response, decisions)) continue;
        await run(
          'DELETE FROM writecheck.idempotency WHERE workspace = $1 AND key = $2 AND request_digest = $3',
          [workspace, key, request_digest],
        );
      }
      if (rows.length < ANSWERS_AT_ONCE) return;
      after = rows.at(-1)!;
    }
  }

  async function lookUpReviews(query: PruneQuery): Promise<ReviewsAtPrune> {
    const [workspace, , objectRef] = parametersOf(query);
    const unfinished = await run<ReviewToKeep>(
      `SELECT id, state, resolved_ms, document FROM writecheck.review r WHERE ($1::text IS NULL OR workspace = $1)
         AND (state IN ('open', 'rejected') OR (state = 'approved' AND NOT EXISTS (SELECT 1 FROM writecheck.consumed_attestation c
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
  }

  /** The rows repeat the intent. */
  async function dropReviews(query: PruneQuery, { kept }: ReviewsAtPrune): Promise<void> {
    for (;;) {
      const gone = await run(
        `WITH gone AS (DELETE FROM writecheck.review WHERE (workspace, id) IN (
             SELECT workspace, id FROM writecheck.review WHERE ($1::text IS NULL OR workspace = $1)
               AND state <> 'open' AND ($2::bigint IS NULL OR resolved_ms < $2)
               AND ($3::text IS NULL OR object_ref = $3) AND id <> ALL ($4::text[]) LIMIT ${REVIEWS_AT_ONCE})
           RETURNING workspace, id),
         untagged AS (DELETE FROM writecheck.review_tag t USING gone g WHERE t.workspace = g.workspace AND t.id = g.id)
         SELECT 1 FROM gone`,
        [...parametersOf(query), [...kept]],
      );
      if (gone.length < REVIEWS_AT_ONCE) return;
    }
  }

  return async (query: PruneQuery, onlyCounts: boolean): Promise<number> => {
    const forgotten = new Set<string>();
    const reviews = await lookUpReviews(query);
    const pruning: Pruning = { query, reviews, forgotten, onlyCounts };
    let emptied = 0;
    for (const pass of passesOf(query)) {
      for (let next: number | null = 0; next !== null; ) {
        const done: Step = await step(next, pruning, pass);
        emptied += done.emptied;
        next = done.next;
      }
    }
    if (onlyCounts) return emptied;
    if (forgotten.size > 0) await forgetAnswers(forgotten);
    await dropReviews(query, reviews);
    await transaction(async (locked) => {
      // A process that is filling the index right now may have read the old entries.
      await locked('SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE');
      await locked(
        `DELETE FROM writecheck.decision WHERE ($1::text IS NULL OR workspace = $1)
           AND ($2::bigint IS NULL OR at_ms < $2) AND ($3::text IS NULL OR object_ref = $3)
           AND decision_id <> ALL ($4::text[])`,
        [...parametersOf(query), [...reviews.keptDecisions]],
      );
    });
    return emptied;
  };
}
