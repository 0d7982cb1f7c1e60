/** The outcomes of allows. */
import { decisionTimeMs } from '../log/decision-time.ts';
import type { NewOutcome, OutcomeRecorded, StoredOutcome } from '../port/outcomes.ts';
import { overAmong } from './acting.ts';
import { erasedAmong, isErasedAt, nameOf } from './erasures.ts';
import { endedWorkspaces } from './lock-workspace.ts';
import { escaped, mapping } from './mapping.ts';
import {
  list,
  type Part,
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
-- The outcome of an allow, as reported.
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

const OUTCOME = mapping<Omit<StoredOutcome, 'by'>>({
  decisionId: 'decision_id',
  result: 'result',
  atMs: 'at_ms',
  recordedAtMs: 'recorded_ms',
  note: escaped('note'),
  ref: escaped('ref'),
});

interface OutcomeRow {
  readonly by_kind: string;
  readonly by_id: string;
}

const COLUMNS = 'workspace, decision_id, result, at_ms, recorded_ms, by_kind, by_id, note, ref';
/** A later report may replace all of it. */
const REPLACED = COLUMNS.split(', ')
  .slice(2)
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');
const escaping = sqlEscaping(...OUTCOME.escaped);

function outcomeOf(row: OutcomeRow): StoredOutcome {
  return { ...OUTCOME.storedOf(row), by: { kind: row.by_kind, id: row.by_id } };
}

export interface JudgedOutcomes {
  /** One for each, in order. */
  readonly recorded: readonly OutcomeRecorded[];
  /** Reports that change something. INVARIANT: their recorder appends their entries in the same transaction. */
  readonly changed: ReadonlySet<NewOutcome>;
}

/** Writes the rows of reports that are the first about their decision, and returns their names. */
export type InsertFirsts = (firsts: readonly NewOutcome[]) => Write<ReadonlySet<string>>;

/**
 * Judges many together. `unknown` may become `done` or `failed`; the same result again changes nothing.
 * INVARIANT: checks wait for it, so the number of statements does not grow with the reports.
 */
export function* judgeOutcomes(
  wishes: readonly NewOutcome[],
  insertFirsts: InsertFirsts = insertTogether,
): Write<JudgedOutcomes> {
  const outcomes = new Map<NewOutcome, OutcomeRecorded>();
  const ended = yield* endedWorkspaces(wishes.map(({ workspace }) => workspace));
  const over = yield* overAmong(wishes.map(({ by, recordedAtMs }) => ({ by, nowMs: recordedAtMs })));
  const admitted = wishes.filter((wish, i) => {
    const code = ended.get(wish.workspace) ?? over[i]!;
    if (code !== null) outcomes.set(wish, { kind: 'ended', code });
    return code === null;
  });
  const byName = new Map(admitted.toReversed().map((wish) => [nameOf(wish), wish]));
  const firsts = sortedBy([...byName.values()], ({ decisionId }) => decisionId);
  const inserted = yield* insertFirsts(firsts);
  const standing = yield* lockStanding(firsts.filter((wish) => !inserted.has(nameOf(wish))));
  const changed = new Set<NewOutcome>();
  const replacing = new Map<string, NewOutcome>();
  for (const wish of admitted) {
    const name = nameOf(wish);
    const before = standing.get(name);
    const isNew =
      before === undefined ? inserted.has(name) : before.result === 'unknown' && wish.result !== 'unknown';
    if (!isNew) {
      outcomes.set(wish, judgedAgain(wish, before));
      continue;
    }
    changed.add(wish);
    if (before !== undefined) replacing.set(name, wish);
    const recorded = recordedAs(wish);
    standing.set(name, recorded.outcome);
    outcomes.set(wish, recorded);
  }
  yield* replaceTogether([...replacing.values()]);
  return { recorded: wishes.map((wish) => outcomes.get(wish)!), changed };
}

/** The outcome as recorded, if that is as it was sent. */
export function recordedAs({ workspace: _, by, ...outcome }: NewOutcome) {
  return { kind: 'recorded', outcome: { ...outcome, by: { kind: by.kind, id: by.id } } } as const;
}

/** The result of a report that changes nothing. */
function judgedAgain({ result }: NewOutcome, before: StoredOutcome | undefined): OutcomeRecorded {
  if (before === undefined) return { kind: 'no_decision' };
  return before.result === result ? { kind: 'recorded', outcome: before } : { kind: 'other_result' };
}

/**
 * Earlier reports of these decisions, by name. INVARIANT: excludes erased ones, which are read once the rows
 * are locked: an erasure removes their texts only after it is visible.
 */
function* lockStanding(wishes: readonly NewOutcome[]): Write<Map<string, StoredOutcome>> {
  const standing = new Map<string, StoredOutcome>();
  if (wishes.length === 0) return standing;
  const names = wishes.map(({ workspace, decisionId }) => part`(${workspace}::text, ${decisionId}::text)`);
  // Rows stay locked until the end, so they are locked in one order.
  const rows = yield* escaping<OutcomeRow & Pick<NewOutcome, 'workspace'>>`SELECT * FROM writecheck.outcome
    WHERE (workspace, decision_id) IN (VALUES ${separated(names)})
    ORDER BY decision_id, workspace FOR NO KEY UPDATE`;
  const erased = yield* erasedAmong(wishes);
  for (const row of rows) {
    const outcome = outcomeOf(row);
    const name = nameOf({ workspace: row.workspace, decisionId: outcome.decisionId });
    if (!erased.has(name)) standing.set(name, outcome);
  }
  return standing;
}

/** Around rows whose tenth column is the time that the id contains: nothing is recorded about erased decisions. */
export const INSERT_FIRSTS = {
  before: `INSERT INTO writecheck.outcome (${COLUMNS})
    SELECT column1, column2, column3, column4, column5, column6, column7, column8, column9 FROM (VALUES`,
  after: `) AS v WHERE NOT (${isErasedAt('column10')})`,
};

/** Uses one statement, because nearly every report is the first and each statement is a round trip. */
function* insertTogether(firsts: readonly NewOutcome[]): Write<ReadonlySet<string>> {
  if (firsts.length === 0) return new Set();
  const rows = firsts.map(
    (wish) => part`(${valuesOf(wish)}, ${decisionTimeMs(wish.decisionId) ?? 0}::bigint)`,
  );
  const { before, after } = INSERT_FIRSTS;
  const inserted = yield* sql<
    Pick<NewOutcome, 'workspace' | 'decisionId'>
  >`${text(before)} ${separated(rows)} ${text(after)}
    ORDER BY column2 ON CONFLICT DO NOTHING RETURNING workspace, decision_id AS "decisionId"`;
  return new Set(inserted.map(nameOf));
}

/** INVARIANT: their rows are locked. */
function* replaceTogether(wishes: readonly NewOutcome[]): Write<void> {
  if (wishes.length === 0) return;
  const rows = wishes.map((wish) => part`(${valuesOf(wish)})`);
  yield* sql`INSERT INTO writecheck.outcome (${text(COLUMNS)}) VALUES ${separated(rows)}
    ON CONFLICT (workspace, decision_id) DO UPDATE SET ${text(REPLACED)}`;
}

function valuesOf({ workspace, decisionId, result, atMs, recordedAtMs, by, note, ref }: NewOutcome): Part {
  return part`${workspace}::text, ${decisionId}::text, ${result}::text, ${atMs}::bigint, ${recordedAtMs}::bigint,
    ${by.kind}::text, ${by.id}::text, ${words(note)}::text, ${words(ref)}::text`;
}

function words(text: string | null): { readonly escaped: string } | null {
  return text === null ? null : { escaped: text };
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
 * Counts, among decisions from the first id on, the unknown outcomes, and up to the other id the redeemed decisions
 * without an outcome. Ids of decisions begin with their time.
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
