/** What became of allows. */
import { outcomeEntry } from '../commit/new-entries.ts';
import type { ActingOver } from '../port/acting.ts';
import type { NewOutcome, OutcomeRecorded, StoredOutcome } from '../port/outcomes.ts';
import { overBecause } from './acting.ts';
import {
  type Append,
  append,
  assignments,
  insertion,
  list,
  type Read,
  sortedBy,
  sql,
  sqlEscaping,
  type Write,
} from './operation.ts';

export const TABLES = `
-- What became of an allow, as its reporter says.
CREATE TABLE writecheck.outcome (
  workspace text COLLATE "C" NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  result text NOT NULL,
  at_ms bigint NOT NULL,
  recorded_ms bigint NOT NULL,
  by_kind text NOT NULL,
  by_id text NOT NULL,
  note escaped,
  ref escaped,
  PRIMARY KEY (workspace, decision_id)
) WITHOUT ROWID;
`;

interface OutcomeRow {
  readonly decision_id: string;
  readonly result: StoredOutcome['result'];
  readonly at_ms: number;
  readonly recorded_ms: number;
  readonly by_kind: string;
  readonly by_id: string;
  readonly note: string | null;
  readonly ref: string | null;
}

const escaping = sqlEscaping('note', 'ref');

function outcomeOf(row: OutcomeRow): StoredOutcome {
  return {
    decisionId: row.decision_id,
    result: row.result,
    atMs: row.at_ms,
    recordedAtMs: row.recorded_ms,
    by: { kind: row.by_kind, id: row.by_id },
    note: row.note,
    ref: row.ref,
  };
}

/**
 * Many in one transaction and one sync; one answer for each, in order. `unknown` may become `done` or `failed`; the
 * same result again changes nothing.
 */
export function* recordOutcomes(wishes: readonly NewOutcome[]): Append<readonly OutcomeRecorded[]> {
  const outcomes = new Map<NewOutcome, OutcomeRecorded>();
  const changed: NewOutcome[] = [];
  const over = new Map<string, ActingOver['code'] | null>();
  // Rows stay locked until the end, so they are locked in one order.
  for (const wish of sortedBy(wishes, ({ decisionId }) => decisionId)) {
    const { by, recordedAtMs } = wish;
    const actor = `${by.id} ${by.session}`;
    if (!over.has(actor)) over.set(actor, yield* overBecause(by, recordedAtMs));
    const code = over.get(actor) ?? null;
    outcomes.set(wish, code === null ? yield* record(wish, changed) : { kind: 'ended', code });
  }
  // In one segment: `npm run bench -- stops`.
  if (changed.length > 0) yield* append((log) => changed.map((wish) => outcomeEntry(log, wish)));
  return wishes.map((wish) => outcomes.get(wish)!);
}

/** Adds what it changes to `changed`. */
function* record(wish: NewOutcome, changed: NewOutcome[]): Write<OutcomeRecorded> {
  const { workspace, decisionId, result, by } = wish;
  const [before] = yield* escaping<OutcomeRow>`SELECT * FROM writecheck.outcome
    WHERE workspace = ${workspace} AND decision_id = ${decisionId} FOR NO KEY UPDATE`;
  if (before !== undefined) {
    if (before.result === result) return { kind: 'recorded', outcome: outcomeOf(before) };
    if (before.result !== 'unknown') return { kind: 'other_result' };
  }
  const row = {
    result,
    at_ms: wish.atMs,
    recorded_ms: wish.recordedAtMs,
    by_kind: by.kind,
    by_id: by.id,
    note: wish.note === null ? null : { escaped: wish.note },
    ref: wish.ref === null ? null : { escaped: wish.ref },
  };
  if (before === undefined)
    yield* sql`INSERT INTO writecheck.outcome ${insertion({ workspace, decision_id: decisionId, ...row })}`;
  else
    yield* sql`UPDATE writecheck.outcome SET ${assignments(row)}
      WHERE workspace = ${workspace} AND decision_id = ${decisionId}`;
  changed.push(wish);
  const { workspace: _, ...outcome } = wish;
  return { kind: 'recorded', outcome: { ...outcome, by: { kind: by.kind, id: by.id } } };
}

/** Of those of these decisions that have one. */
export function* outcomesOf(
  workspace: string,
  decisionIds: readonly string[],
): Read<readonly StoredOutcome[]> {
  const rows = yield* escaping<OutcomeRow>`SELECT * FROM writecheck.outcome
    WHERE workspace = ${workspace} AND decision_id IN (${list(decisionIds)})`;
  return rows.map(outcomeOf);
}

/**
 * Of decisions from this id on: how many are unknown, and how many redeemed ones up to the other id have none. Ids of
 * decisions begin with their time.
 */
export function* countOutcomes(
  workspace: string,
  fromId: string,
  toId: string,
): Read<{ readonly unknown: number; readonly missing: number }> {
  const [row] = yield* sql<{ readonly unknown: number; readonly missing: number }>`SELECT
    (SELECT count(*) FROM writecheck.outcome WHERE workspace = ${workspace} AND decision_id >= ${fromId}
      AND result = 'unknown') AS "unknown",
    (SELECT count(*) FROM writecheck.redemption r WHERE r.workspace = ${workspace} AND r.decision_id >= ${fromId}
      AND r.decision_id < ${toId} AND NOT EXISTS (SELECT 1 FROM writecheck.outcome o
        WHERE o.workspace = r.workspace AND o.decision_id = r.decision_id)) AS "missing"`;
  return { unknown: Number(row!.unknown), missing: Number(row!.missing) };
}
