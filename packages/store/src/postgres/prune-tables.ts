/** Removes from the tables and the search index in PostgreSQL what a prune has emptied in the logs. */
import { DAY_MS } from '../index/decision-kinds.ts';
import type { Prunable } from '../port.ts';
import { boundWithoutResponse, holdsAnyOf } from '../prune/kept-decisions.ts';
import type { ReviewsAtPrune } from '../prune/reviews-at-prune.ts';
import type { Connections, Query } from './connection.ts';

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

/** Null means everything. What is named by its id goes whatever its age. */
function parametersOf({ workspace, beforeMs, only }: Prunable) {
  return {
    workspace: workspace ?? null,
    beforeMs: only === null ? (beforeMs ?? null) : null,
    decisions: only === null ? null : [...only.decisions],
    reviews: only === null ? null : [...only.reviews],
  };
}

export async function forgetAnswers(run: Query, decisions: ReadonlySet<string>): Promise<void> {
  for (let after = { workspace: '', key: '' }; ; ) {
    const rows = await run<AnswerRow>(
      `SELECT workspace, key, request_digest, replayable_while, response FROM writecheck.idempotency
       WHERE (workspace, key) > ($1, $2) ORDER BY workspace, key LIMIT ${ANSWERS_AT_ONCE}`,
      [after.workspace, after.key],
    );
    for (const row of rows) {
      if (!holdsAnyOf(row, decisions)) continue;
      const bound = boundWithoutResponse(row);
      const which = 'WHERE workspace = $1 AND key = $2 AND request_digest = $3';
      const name = [row.workspace, row.key, row.request_digest];
      if (bound === null) await run(`DELETE FROM writecheck.idempotency ${which}`, name);
      else {
        const emptied = `UPDATE writecheck.idempotency SET response = '', replayable_while = $4 ${which}`;
        await run(emptied, [...name, bound]);
      }
    }
    if (rows.length < ANSWERS_AT_ONCE) return;
    after = rows.at(-1)!;
  }
}

/** Their words; the results stay, so that a redeemed allow does not seem to have none. */
export async function forgetOutcomes(run: Query, found: Prunable): Promise<void> {
  const { workspace, beforeMs, decisions } = parametersOf(found);
  await run(
    `UPDATE writecheck.outcome SET note = NULL, ref = NULL WHERE (note IS NOT NULL OR ref IS NOT NULL)
       AND ($1::text IS NULL OR workspace = $1) AND ($2::bigint IS NULL OR recorded_ms < $2)
       AND ($3::text[] IS NULL OR decision_id = ANY ($3))`,
    [workspace, beforeMs, decisions],
  );
}

/** The rows repeat the intent. */
export async function dropReviews(run: Query, found: Prunable, { kept }: ReviewsAtPrune): Promise<void> {
  const { workspace, beforeMs, reviews } = parametersOf(found);
  for (;;) {
    const gone = await run(
      `WITH gone AS (DELETE FROM writecheck.review WHERE (workspace, id) IN (
           SELECT workspace, id FROM writecheck.review WHERE ($1::text IS NULL OR workspace = $1)
             AND state <> 'open' AND ($2::bigint IS NULL OR resolved_ms < $2)
             AND ($3::text[] IS NULL OR id = ANY ($3)) AND id <> ALL ($4::text[]) LIMIT ${REVIEWS_AT_ONCE})
         RETURNING workspace, id),
       untagged AS (DELETE FROM writecheck.review_tag t USING gone g WHERE t.workspace = g.workspace AND t.id = g.id)
       SELECT 1 FROM gone`,
      [workspace, beforeMs, reviews, [...kept]],
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
  found: Prunable,
  { keptDecisions }: ReviewsAtPrune,
): Promise<void> {
  // A process that is filling the index right now may have read the old entries; it has finished after this.
  await transaction((locked) => locked('SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE'));
  const { workspace: only, beforeMs, decisions } = parametersOf(found);
  const workspaces = await run<{ readonly id: string }>(
    'SELECT id FROM writecheck.workspace WHERE $1::text IS NULL OR id = $1',
    [only],
  );
  for (const { id } of workspaces) {
    for (let after: IndexPlace | undefined = { at_ms: 0, position: -1 }; after !== undefined; ) {
      const gone: readonly IndexPlace[] = await run<IndexPlace>(
        `WITH gone AS (DELETE FROM writecheck.decision WHERE position IN (SELECT position FROM writecheck.decision
           WHERE workspace = $1 AND (at_ms, position) > ($2, $3) AND ($4::bigint IS NULL OR at_ms < $4)
             AND ($5::text[] IS NULL OR decision_id = ANY ($5))
             AND decision_id <> ALL ($6::text[])
           ORDER BY at_ms, position LIMIT ${INDEX_ROWS_AT_ONCE}) RETURNING at_ms, position)
         SELECT at_ms, position FROM gone ORDER BY at_ms DESC, position DESC LIMIT 1`,
        [id, after.at_ms, after.position, beforeMs, decisions, [...keptDecisions]],
      );
      after = gone[0];
    }
  }
}

/** Of days that have no decision left; a review may keep some of them. */
export async function forgetKinds(
  { transaction }: Connections,
  { workspace, beforeMs, only }: Prunable,
): Promise<void> {
  if (beforeMs === undefined || only !== null) return;
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
