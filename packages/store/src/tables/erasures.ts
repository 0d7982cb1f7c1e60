/** Erasures: the log entry of each, what is left to erase, and what was erased. */
import { REVIEW_DESK } from '@writecheck/contract';
import { erasureEntries } from '../commit/new-entries.ts';
import { decisionTimeMs } from '../log/decision-time.ts';
import type { Erasure, ErasurePart } from '../port/erasures.ts';
import type { ClosedReview } from '../prune/find-prunable.ts';
import type { ReviewToKeep } from '../prune/reviews-at-prune.ts';
import {
  type Append,
  append,
  list,
  part,
  type Read,
  separated,
  sql,
  sqlEscaping,
  text,
  type Write,
} from './operation.ts';

export const TABLES = `
-- Decisions that were erased by their ids; settled once no entry that follows them is left.
CREATE TABLE writecheck.erased_decision (
  workspace text COLLATE "C" NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  is_settled boolean NOT NULL,
  PRIMARY KEY (workspace, decision_id)
) WITHOUT ROWID;
CREATE INDEX erased_unsettled ON writecheck.erased_decision (workspace) WHERE NOT is_settled;

-- Every earlier decision of the workspace was erased.
CREATE TABLE writecheck.erased_before (
  workspace text COLLATE "C" PRIMARY KEY,
  before_ms bigint NOT NULL
) WITHOUT ROWID;
`;

const escaping = sqlEscaping('object_ref', 'document');

/**
 * INVARIANT: the entry and the names in it are durable before the first record is erased, so that nothing is
 * erased without it and an interrupted erasure can be completed. False if there is no such workspace.
 */
export function* traceErasure(erasure: Erasure, { workspace, ...named }: ErasurePart): Append<boolean> {
  const found = yield* sql`SELECT 1 FROM writecheck.workspace WHERE id = ${workspace} FOR NO KEY UPDATE`;
  if (found.length === 0) return false;
  if (named.decisions === null) {
    yield* sql`INSERT INTO writecheck.erased_before AS e (workspace, before_ms) VALUES (${workspace}, ${named.beforeMs ?? 0})
      ON CONFLICT (workspace) DO UPDATE SET before_ms = excluded.before_ms WHERE excluded.before_ms > e.before_ms`;
  } else if (named.decisions.length > 0) {
    const rows = named.decisions.map((id) => part`(${workspace}, ${id}, false)`);
    yield* sql`INSERT INTO writecheck.erased_decision (workspace, decision_id, is_settled) VALUES ${separated(rows)}
      ON CONFLICT DO NOTHING`;
  }
  yield* append((log) => erasureEntries(log, erasure, { workspace, ...named }));
  return true;
}

/** Called once nothing is left that repeats these decisions. */
export function* settleErasure(workspace: string, decisions: readonly string[]): Write<void> {
  yield* sql`UPDATE writecheck.erased_decision SET is_settled = true
    WHERE workspace = ${workspace} AND decision_id IN (${list(decisions)})`;
}

/** Decisions of interrupted erasures: entries that follow them may still exist. */
export function* unsettledErasures(workspace: string): Read<readonly string[]> {
  const rows = yield* sql<{ readonly decision_id: string }>`SELECT decision_id FROM writecheck.erased_decision
    WHERE workspace = ${workspace} AND NOT is_settled`;
  return rows.map(({ decision_id }) => decision_id);
}

/** Whether it was erased by its id, or its time, which the id contains, was erased as a whole. */
export function* isErased(workspace: string, decisionId: string): Read<boolean> {
  return decisionTimeMs(decisionId) !== null && (yield* erasedAmong([{ workspace, decisionId }])).size > 0;
}

interface NamedDecision {
  readonly workspace: string;
  readonly decisionId: string;
}

export function nameOf({ workspace, decisionId }: NamedDecision): string {
  return `${workspace} ${decisionId}`;
}

/** Matches rows that begin with a workspace and a decision's id, and have the id's time in this column. */
export function isErasedAt(timeColumn: string): string {
  return `EXISTS (SELECT 1 FROM writecheck.erased_decision e WHERE e.workspace = column1 AND e.decision_id = column2)
    OR EXISTS (SELECT 1 FROM writecheck.erased_before b
      WHERE b.workspace = column1 AND b.before_ms > ${timeColumn})`;
}

/** The names of the erased ones, in one statement. */
export function* erasedAmong(decisions: readonly NamedDecision[]): Read<ReadonlySet<string>> {
  const rows = decisions.map(
    ({ workspace, decisionId }) =>
      part`(${workspace}::text, ${decisionId}::text, ${decisionTimeMs(decisionId) ?? 0}::bigint)`,
  );
  const erased = yield* sql<NamedDecision>`SELECT column1 AS workspace, column2 AS "decisionId"
    FROM (VALUES ${separated(rows)}) AS v WHERE ${text(isErasedAt('column3'))}`;
  return new Set(erased.map(nameOf));
}

/** Reviews that an erasure may have to spare: open, rejected, or approved and unused. Null: of every workspace. */
export function* unfinishedReviews(workspace: string | null): Read<readonly ReviewToKeep[]> {
  const which = workspace === null ? part`` : part`workspace = ${workspace} AND`;
  return yield* escaping<ReviewToKeep>`SELECT id, state, resolved_ms, document FROM writecheck.review r WHERE ${which}
    (state IN ('open', 'rejected') OR (state = 'approved' AND NOT EXISTS (SELECT 1 FROM writecheck.consumed_attestation c
      WHERE c.workspace = r.workspace AND c.source = ${REVIEW_DESK} AND c.jti = r.id)))`;
}

export function* closedReviews(workspace: string): Read<readonly ClosedReview[]> {
  return yield* escaping<ClosedReview>`SELECT id, object_ref, document FROM writecheck.review
    WHERE workspace = ${workspace} AND state <> 'open'`;
}
