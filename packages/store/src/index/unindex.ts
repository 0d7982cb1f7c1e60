/** Removes what a prune names from the lists, except the decisions it kept; the counts by day and hour stay. */
import { DAY_MS } from '@writecheck/contract';
import type { Prunable } from '../port/erasures.ts';
import { part, type Statement, sql, text } from '../tables/operation.ts';

type Unindexing = Generator<Statement, void, readonly unknown[]>;

const ROWS_AT_ONCE = 5_000;

interface Place {
  readonly at_ms: number;
  readonly position: number;
}

/**
 * Piece by piece, along the index by time. This also removes rows left by an interrupted prune, because it uses
 * what the index holds.
 */
export function* unindexDecisions(
  workspaces: readonly (string | number)[],
  { beforeMs, only }: Pick<Prunable, 'beforeMs' | 'only'>,
  kept: readonly string[],
): Unindexing {
  const before = beforeMs === undefined || only !== null ? part`` : part`AND at_ms < ${beforeMs}`;
  const named = only === null ? part`` : part`AND decision_id = ANY (${[...only.decisions]})`;
  for (const workspace of workspaces) {
    for (let after: Place | undefined = { at_ms: 0, position: -1 }; after !== undefined; ) {
      const rows: readonly Place[] = yield* sql<Place>`SELECT at_ms, position FROM writecheck.decision
        WHERE workspace = ${workspace} AND (at_ms, position) > (${after.at_ms}, ${after.position})
          ${before} ${named} AND decision_id <> ALL (${kept})
        ORDER BY at_ms, position LIMIT ${ROWS_AT_ONCE}`;
      const positions = rows.map(({ position }) => position);
      if (rows.length > 0) yield* sql`DELETE FROM writecheck.decision WHERE position = ANY (${positions})`;
      after = rows.at(-1);
    }
  }
}

/** Removes the counts of a deleted workspace, which other prunes keep. */
export function* unindexCounts(
  { isOfDeleted }: Pick<Prunable, 'isOfDeleted'>,
  workspace: string | number | null,
): Unindexing {
  if (isOfDeleted !== true || workspace === null) return;
  for (const table of ['decision_kind', 'hourly', 'daily'])
    yield* sql`DELETE FROM writecheck.${text(table)} WHERE workspace = ${workspace}`;
}

/** Removes the kinds of days that end before the prune's time and have no decision left; a review may keep some. */
export function* unindexKinds(
  { beforeMs, only }: Pick<Prunable, 'beforeMs' | 'only'>,
  workspace: string | number | null,
): Unindexing {
  if (beforeMs === undefined || only !== null) return;
  const isOf = workspace === null ? part`` : part`AND workspace = ${workspace}`;
  yield* sql`DELETE FROM writecheck.decision_kind AS k WHERE day < ${Math.floor(beforeMs / DAY_MS)} ${isOf}
    AND NOT EXISTS (SELECT 1 FROM writecheck.decision d WHERE d.workspace = k.workspace
      AND d.at_ms >= k.day * ${DAY_MS}::bigint AND d.at_ms < (k.day + 1) * ${DAY_MS}::bigint)`;
}
