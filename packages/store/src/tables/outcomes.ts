/** What became of allows. */
import { decisionTimeMs } from '../log/decision-time.ts';
import type { ActingOver } from '../port/acting.ts';
import type { NewOutcome, OutcomeRecorded, StoredOutcome } from '../port/outcomes.ts';
import { overBecause } from './acting.ts';
import { isErased } from './erasures.ts';
import {
  assignments,
  list,
  part,
  type Read,
  separated,
  sortedBy,
  sql,
  sqlEscaping,
  text,
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

export interface JudgedOutcomes {
  /** One for each, in order. */
  readonly recorded: readonly OutcomeRecorded[];
  /** Those that say something new. INVARIANT: whoever records them appends their entries in the same transaction. */
  readonly changed: ReadonlySet<NewOutcome>;
}

/** Writes the rows of those that are the first to say something of their decision, and returns their names. */
export type InsertFirsts = (wishes: readonly NewOutcome[]) => Write<Set<string>>;

/** Many at once. `unknown` may become `done` or `failed`; the same result again changes nothing. */
export function* judgeOutcomes(
  wishes: readonly NewOutcome[],
  insertFirsts: InsertFirsts = insertTogether,
): Write<JudgedOutcomes> {
  const outcomes = new Map<NewOutcome, OutcomeRecorded>();
  const changed = new Set<NewOutcome>();
  const over = new Map<string, ActingOver['code'] | null>();
  const admitted: NewOutcome[] = [];
  // Rows stay locked until the end, so they are locked in one order.
  for (const wish of sortedBy(wishes, ({ decisionId }) => decisionId)) {
    const { by, recordedAtMs } = wish;
    const actor = `${by.id} ${by.session}`;
    if (!over.has(actor)) over.set(actor, yield* overBecause(by, recordedAtMs));
    const code = over.get(actor) ?? null;
    if (code === null) admitted.push(wish);
    else outcomes.set(wish, { kind: 'ended', code });
  }
  const inserted = yield* insertFirsts(admitted);
  for (const wish of admitted) {
    // The first of those that say something of the same decision.
    const isInserted = inserted.delete(nameOf(wish));
    if (isInserted) changed.add(wish);
    outcomes.set(wish, isInserted ? recordedAs(wish) : yield* recordAgain(wish, changed));
  }
  return { recorded: wishes.map((wish) => outcomes.get(wish)!), changed };
}

export function nameOf({ workspace, decisionId }: NewOutcome): string {
  return `${workspace} ${decisionId}`;
}

/** What stands once it is recorded as it was sent. */
export function recordedAs({ workspace: _, by, ...outcome }: NewOutcome): OutcomeRecorded {
  return { kind: 'recorded', outcome: { ...outcome, by: { kind: by.kind, id: by.id } } };
}

/** Adds what it changes to `changed`. INVARIANT: nothing is recorded of a decision that was erased meanwhile. */
function* recordAgain(wish: NewOutcome, changed: Set<NewOutcome>): Write<OutcomeRecorded> {
  const { workspace, decisionId, result } = wish;
  const [before] = yield* escaping<OutcomeRow>`SELECT * FROM writecheck.outcome
    WHERE workspace = ${workspace} AND decision_id = ${decisionId} FOR NO KEY UPDATE`;
  if (before === undefined || (yield* isErased(workspace, decisionId))) return { kind: 'no_decision' };
  if (before.result === result) return { kind: 'recorded', outcome: outcomeOf(before) };
  if (before.result !== 'unknown') return { kind: 'other_result' };
  yield* sql`UPDATE writecheck.outcome SET ${assignments(rowOf(wish))}
    WHERE workspace = ${workspace} AND decision_id = ${decisionId}`;
  changed.add(wish);
  return recordedAs(wish);
}

function rowOf({ result, atMs, recordedAtMs, by, note, ref }: NewOutcome) {
  return {
    result,
    at_ms: atMs,
    recorded_ms: recordedAtMs,
    by_kind: by.kind,
    by_id: by.id,
    note: note === null ? null : { escaped: note },
    ref: ref === null ? null : { escaped: ref },
  };
}

/** Around rows whose tenth column is the time that the id contains: nothing is recorded of what was erased. */
export const INSERT_FIRSTS = {
  before: `INSERT INTO writecheck.outcome
      (workspace, decision_id, result, at_ms, recorded_ms, by_kind, by_id, note, ref)
    SELECT column1, column2, column3, column4, column5, column6, column7, column8, column9 FROM (VALUES`,
  after: `) AS v
    WHERE NOT EXISTS (SELECT 1 FROM writecheck.erased_decision e
        WHERE e.workspace = column1 AND e.decision_id = column2)
      AND NOT EXISTS (SELECT 1 FROM writecheck.erased_before b WHERE b.workspace = column1 AND b.before_ms > column10)`,
};

/** In one statement, because nearly every report is the first and each statement is a round trip. */
function* insertTogether(wishes: readonly NewOutcome[]): Write<Set<string>> {
  if (wishes.length === 0) return new Set();
  const firsts = new Map(wishes.toReversed().map((wish) => [nameOf(wish), wish]));
  const rows = Array.from(firsts.values(), (wish) => {
    const { workspace, decisionId } = wish;
    const { result, at_ms, recorded_ms, by_kind, by_id, note, ref } = rowOf(wish);
    return part`(${workspace}::text, ${decisionId}::text, ${result}::text, ${at_ms}::bigint, ${recorded_ms}::bigint,
      ${by_kind}::text, ${by_id}::text, ${note}::text, ${ref}::text, ${decisionTimeMs(decisionId) ?? 0}::bigint)`;
  });
  const { before, after } = INSERT_FIRSTS;
  const inserted = yield* sql<
    Pick<OutcomeRow, 'decision_id'> & { readonly workspace: string }
  >`${text(before)}
    ${separated(rows)} ${text(after)} ORDER BY column2 ON CONFLICT DO NOTHING RETURNING workspace, decision_id`;
  return new Set(inserted.map((row) => `${row.workspace} ${row.decision_id}`));
}

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
