/** Removes from the tables and the search index in PostgreSQL what a prune has emptied in the logs. */
import { REVIEW_DESK } from '@writecheck/contract';
import { DAY_MS } from '../index/decision-kinds.ts';
import type { PruneQuery } from '../port.ts';
import { boundWithoutResponse, holdsAnyOf } from '../prune/kept-decisions.ts';
import { type ReviewsAtPrune, type ReviewToKeep, reviewsAtPrune } from '../prune/reviews-at-prune.ts';
import type { Connections, Query } from './connection.ts';
import { originalText, storableText } from './storable-text.ts';

const ANSWERS_AT_ONCE = 500;
const REVIEWS_AT_ONCE = 500;
const INDEX_ROWS_AT_ONCE = 10_000;

interface AnswerRow {
  readonly workspace: string;
  readonly key: string;
  readonly request_digest: string;
  readonly replayable_while: string;
  readonly response: Buffer;
}

interface IndexPlace {
  readonly at_ms: number;
  readonly position: number;
}

/** Null means everything. */
function parametersOf({ workspace, beforeMs, objectRef }: PruneQuery) {
  return [
    workspace ?? null,
    beforeMs ?? null,
    objectRef === undefined ? null : storableText(objectRef),
  ] as const;
}

/** Those of an object's prune that was interrupted: their redemptions and responses may still be there. */
export async function forgottenBefore(
  run: Query,
  { objectRef, workspace = '' }: PruneQuery,
): Promise<Set<string>> {
  if (objectRef === undefined) return new Set();
  const rows = await run<{ readonly decision_id: string }>(
    'SELECT decision_id FROM writecheck.forgotten_decision WHERE workspace = $1',
    [workspace],
  );
  return new Set(rows.map(({ decision_id }) => decision_id));
}

export async function lookUpReviews(run: Query, query: PruneQuery): Promise<ReviewsAtPrune> {
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
    'SELECT coalesce(max(newest_ms), 0) AS newest FROM writecheck.log WHERE is_open',
  );
  const freezes = await run<{ readonly id: string }>(
    'SELECT id FROM writecheck.freeze WHERE lifted_ms IS NULL',
  );
  return reviewsAtPrune(
    unfinished.map((row) => ({ ...row, document: originalText(row.document) })),
    ofObject.map(({ id }) => id),
    log!.newest,
    freezes.map(({ id }) => id),
  );
}

export async function forgetAnswers(run: Query, decisions: ReadonlySet<string>): Promise<void> {
  for (let after = { workspace: '', key: '' }; ; ) {
    const rows = await run<AnswerRow>(
      `SELECT workspace, key, request_digest, replayable_while, response FROM writecheck.idempotency
       WHERE (workspace, key) > ($1, $2) ORDER BY workspace, key LIMIT ${ANSWERS_AT_ONCE}`,
      [after.workspace, after.key],
    );
    for (const { workspace, key, request_digest, replayable_while, response } of rows) {
      if (!holdsAnyOf(response, decisions)) continue;
      const bound = boundWithoutResponse(replayable_while);
      const which = 'WHERE workspace = $1 AND key = $2 AND request_digest = $3';
      const row = [workspace, key, request_digest];
      if (bound === null) await run(`DELETE FROM writecheck.idempotency ${which}`, row);
      else {
        const emptied = `UPDATE writecheck.idempotency SET response = '', replayable_while = $4 ${which}`;
        await run(emptied, [...row, bound]);
      }
    }
    if (rows.length < ANSWERS_AT_ONCE) return;
    after = rows.at(-1)!;
  }
}

/** Their words; the results stay, so that a redeemed allow does not seem to have none. */
export async function forgetOutcomes(
  run: Query,
  query: PruneQuery,
  decisions: ReadonlySet<string>,
): Promise<void> {
  const [workspace, beforeMs, objectRef] = parametersOf(query);
  await run(
    `UPDATE writecheck.outcome SET note = NULL, ref = NULL WHERE (note IS NOT NULL OR ref IS NOT NULL)
       AND ($1::text IS NULL OR workspace = $1) AND ($2::bigint IS NULL OR recorded_ms < $2)
       AND ($3::text IS NULL OR decision_id = ANY ($4::text[]))`,
    [workspace, beforeMs, objectRef, [...decisions]],
  );
}

/** The rows repeat the intent. */
export async function dropReviews(run: Query, query: PruneQuery, { kept }: ReviewsAtPrune): Promise<void> {
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

/**
 * Piece by piece, along the index by time. Rows of a prune that was interrupted are gone then, too: they are named by
 * what the index holds.
 */
export async function unindex(
  { transaction, query: run }: Connections,
  query: PruneQuery,
  { keptDecisions }: ReviewsAtPrune,
): Promise<void> {
  // A process that is filling the index right now may have read the old entries; it has finished after this.
  await transaction((locked) => locked('SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE'));
  const [only, beforeMs, objectRef] = parametersOf(query);
  const workspaces = await run<{ readonly id: string }>(
    'SELECT id FROM writecheck.workspace WHERE $1::text IS NULL OR id = $1',
    [only],
  );
  for (const { id } of workspaces) {
    for (let after: IndexPlace | undefined = { at_ms: 0, position: -1 }; after !== undefined; ) {
      const gone: readonly IndexPlace[] = await run<IndexPlace>(
        `WITH gone AS (DELETE FROM writecheck.decision WHERE position IN (SELECT position FROM writecheck.decision
           WHERE workspace = $1 AND (at_ms, position) > ($2, $3) AND ($4::bigint IS NULL OR at_ms < $4)
             AND ($5::text IS NULL OR (md5(object_ref) = md5($5) AND object_ref = $5))
             AND decision_id <> ALL ($6::text[])
           ORDER BY at_ms, position LIMIT ${INDEX_ROWS_AT_ONCE}) RETURNING at_ms, position)
         SELECT at_ms, position FROM gone ORDER BY at_ms DESC, position DESC LIMIT 1`,
        [id, after.at_ms, after.position, beforeMs, objectRef, [...keptDecisions]],
      );
      after = gone[0];
    }
  }
}

/** Of days that have no decision left; a review may keep some of them. */
export async function forgetKinds(
  { transaction }: Connections,
  { workspace, beforeMs, objectRef }: PruneQuery,
): Promise<void> {
  if (beforeMs === undefined || objectRef !== undefined) return;
  await transaction(async (locked) => {
    await locked('SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE');
    await locked(
      `DELETE FROM writecheck.decision_kind k WHERE day < $1 AND ($2::text IS NULL OR workspace = $2)
         AND NOT EXISTS (SELECT 1 FROM writecheck.decision d WHERE d.workspace = k.workspace
           AND d.at_ms >= k.day * ${DAY_MS}::bigint AND d.at_ms < (k.day + 1) * ${DAY_MS}::bigint)`,
      [Math.floor(beforeMs / DAY_MS), workspace ?? null],
    );
  });
}
