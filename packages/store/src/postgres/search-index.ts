/** Fills the search index from the segments, a few at a time; any process may do the next step. */
import { type Archive, withArchive } from '../archive/archive.ts';
import { DAY_MS } from '../index/decision-kinds.ts';
import { DECISION_COLUMNS, type IndexedDecision, IndexRows } from '../index/index-rows.ts';
import { LEAVES_PER_LOG } from '../log-positions.ts';
import type { Prunable } from '../port.ts';
import type { ReviewsAtPrune } from '../prune/reviews-at-prune.ts';
import { type StoredSegment, useSegment } from '../segment.ts';
import type { Connections, Query } from './connection.ts';
import { storableText } from './storable-text.ts';

/** About how many records are read, parsed and written at a time. */
const RECORDS_A_STEP = 1_024;

const NUMBER_COLUMNS: readonly string[] = ['position', 'at_ms', 'valid_until_ms'];
const LISTS = DECISION_COLUMNS.map(
  (column, i) => `$${i + 1}::${NUMBER_COLUMNS.includes(column) ? 'bigint' : 'text'}[]`,
);
const INSERT = `INSERT INTO writecheck.decision (${DECISION_COLUMNS.join(', ')}) SELECT * FROM unnest(${LISTS.join(', ')})`;

function storable(row: IndexedDecision): IndexedDecision {
  return row.object_ref === null ? row : { ...row, object_ref: storableText(row.object_ref) };
}

export interface Pending {
  readonly log: number;
  /** How many of its leaves to index. */
  readonly size: number;
  readonly behind: number;
}

/** The logs that are not fully indexed yet. */
export function pendingLogs(query: Query): Promise<readonly Pending[]> {
  return query<Pending>(
    `SELECT i.log, l.size, l.size - i.size AS behind FROM writecheck.indexed i JOIN writecheck.log l ON l.number = i.log
     WHERE i.size < l.size ORDER BY i.log`,
  );
}

/**
 * Within a transaction: indexes some of a log's pending leaves, up to `size`; false if none is pending. INVARIANT:
 * rows and progress are committed together under the lock of the log's row, so every record is indexed exactly once.
 */
export async function indexSome(
  query: Query,
  archive: Archive,
  { log, size }: Pick<Pending, 'log' | 'size'>,
): Promise<boolean> {
  // A crash of the machine may lose the newest rows; they are filled in again from the log.
  await query('SET LOCAL synchronous_commit = off');
  const [progress] = await query<{ size: number }>(
    'SELECT size FROM writecheck.indexed WHERE log = $1 FOR UPDATE',
    [log],
  );
  const from = progress?.size ?? size;
  if (from >= size) return false;
  const base = log * LEAVES_PER_LOG;
  const segments = await query<StoredSegment>(
    `SELECT position, count, body FROM writecheck.segment WHERE position >= $1 AND position < $2
     ORDER BY position`,
    [base + from, base + Math.min(from + RECORDS_A_STEP, LEAVES_PER_LOG)],
  );
  const last = segments.at(-1);
  if (last === undefined) return false;
  const index = await withArchive(archive, () => {
    const rows = new IndexRows();
    for (const segment of segments) useSegment(segment, (entries) => rows.add(segment.position, entries));
    return rows;
  });
  if (index.decisions.length > 0) await write(query, index);
  await query('UPDATE writecheck.indexed SET size = $2 WHERE log = $1', [
    log,
    last.position + last.count - base,
  ]);
  return true;
}

async function write(query: Query, { decisions, daily, hourly }: IndexRows): Promise<void> {
  const rows = decisions.map(storable);
  await query(
    INSERT,
    DECISION_COLUMNS.map((column) => rows.map((row) => row[column])),
  );
  await query(
    `INSERT INTO writecheck.daily AS d SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
     ON CONFLICT (workspace, day, key_id) DO UPDATE SET checks = d.checks + excluded.checks`,
    [
      daily.map(({ workspace }) => workspace),
      daily.map(({ day }) => day),
      daily.map(({ keyId }) => keyId),
      daily.map(({ checks }) => checks),
    ],
  );
  await query(
    `INSERT INTO writecheck.hourly AS h SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[],
       $5::bigint[], $6::bigint[]) ON CONFLICT (workspace, hour_ms) DO UPDATE SET allow = h.allow + excluded.allow,
       pause = h.pause + excluded.pause, block = h.block + excluded.block, warned = h.warned + excluded.warned`,
    [
      hourly.map(({ workspace }) => workspace),
      hourly.map(({ hourMs }) => hourMs),
      hourly.map(({ allow }) => allow),
      hourly.map(({ pause }) => pause),
      hourly.map(({ block }) => block),
      hourly.map(({ warned }) => warned),
    ],
  );
}

/** Discards everything, to be filled again. */
export async function clearIndex(query: Query): Promise<void> {
  await query(LOCK_INDEXED);
  const tables = ['decision', 'daily', 'hourly', 'decision_kind'].map((table) => `writecheck.${table}`);
  const [right] = await query<{ may: boolean }>(
    "SELECT bool_and(has_table_privilege(name, 'TRUNCATE')) AS may FROM unnest($1::text[]) AS t (name)",
    [tables],
  );
  // A DELETE of millions of rows takes minutes and leaves them as bloat.
  if (right!.may) await query(`TRUNCATE ${tables.join(', ')}`);
  else for (const table of tables) await query(`DELETE FROM ${table}`);
  await query('UPDATE writecheck.indexed SET size = 0');
}

const UNINDEXED_AT_ONCE = 10_000;
/** A process that is filling the index right now may have read the old entries; it has finished after this. */
const LOCK_INDEXED = 'SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE';

interface IndexPlace {
  readonly at_ms: number;
  readonly position: number;
}

/**
 * Removes what a prune names from the lists, except the decisions it kept: piece by piece, along the index by time. Rows
 * of a prune that was interrupted are gone then, too: they are named by what the index holds.
 */
export async function unindex(
  { transaction, query: run }: Connections,
  { workspace, beforeMs: olderMs, only }: Prunable,
  { keptDecisions }: ReviewsAtPrune,
): Promise<void> {
  const beforeMs = only === null ? (olderMs ?? null) : null;
  const decisions = only === null ? null : [...only.decisions];
  await transaction((locked) => locked(LOCK_INDEXED));
  const workspaces = await run<{ readonly id: string }>(
    'SELECT id FROM writecheck.workspace WHERE $1::text IS NULL OR id = $1',
    [workspace ?? null],
  );
  for (const { id } of workspaces) {
    for (let after: IndexPlace | undefined = { at_ms: 0, position: -1 }; after !== undefined; ) {
      const gone: readonly IndexPlace[] = await run<IndexPlace>(
        `WITH gone AS (DELETE FROM writecheck.decision WHERE position IN (SELECT position FROM writecheck.decision
           WHERE workspace = $1 AND (at_ms, position) > ($2, $3) AND ($4::bigint IS NULL OR at_ms < $4)
             AND ($5::text[] IS NULL OR decision_id = ANY ($5))
             AND decision_id <> ALL ($6::text[])
           ORDER BY at_ms, position LIMIT ${UNINDEXED_AT_ONCE}) RETURNING at_ms, position)
         SELECT at_ms, position FROM gone ORDER BY at_ms DESC, position DESC LIMIT 1`,
        [id, after.at_ms, after.position, beforeMs, decisions, [...keptDecisions]],
      );
      after = gone[0];
    }
  }
  if (beforeMs === null) return;
  // Of days that have no decision left; a review may keep some of them.
  await transaction(async (locked) => {
    await locked(LOCK_INDEXED);
    await locked(
      `DELETE FROM writecheck.decision_kind k WHERE day < $1 AND ($2::text IS NULL OR workspace = $2)
         AND NOT EXISTS (SELECT 1 FROM writecheck.decision d WHERE d.workspace = k.workspace
           AND d.at_ms >= k.day * ${DAY_MS}::bigint AND d.at_ms < (k.day + 1) * ${DAY_MS}::bigint)`,
      [Math.floor(beforeMs / DAY_MS), workspace ?? null],
    );
  });
}
