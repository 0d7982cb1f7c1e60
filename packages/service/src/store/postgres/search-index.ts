/** Fills the search index from the segments: a few at a time, whichever process comes first. */
import { type Leaf, recordedIntent } from '@writecheck/ledger';
import { type StoredSegment, useSegment } from '../segment.ts';
import type { Query } from './connection.ts';
import { LEAVES_PER_LOG } from './schema.ts';
import { storableText } from './storable-text.ts';

/** About as many are read, parsed and written at a time. */
const RECORDS_A_STEP = 1_024;

const COLUMNS: readonly (readonly [name: string, type: string])[] = [
  ['position', 'bigint'],
  ['workspace', 'text'],
  ['at_ms', 'bigint'],
  ['decision_id', 'text'],
  ['audit_id', 'text'],
  ['key_id', 'text'],
  ['timestamp', 'text'],
  ['decision', 'text'],
  ['evaluated_decision', 'text'],
  ['reason_code', 'text'],
  ['system', 'text'],
  ['object_type', 'text'],
  ['object_ref', 'text'],
  ['field', 'text'],
  ['operation', 'text'],
  ['workflow_id', 'text'],
  ['run_id', 'text'],
];
const LISTS = COLUMNS.map(([, type], i) => `$${i + 1}::${type}[]`).join(', ');
const INSERT = `INSERT INTO writecheck.decision (${COLUMNS.map(([name]) => name).join(', ')}) SELECT * FROM unnest(${LISTS})`;

const rowOf = (position: number, record: Uint8Array, leaf: Leaf): readonly unknown[] => {
  // Of a record only the intent is read here; the rest of what the index holds stands in the leaf.
  const intent = recordedIntent(record);
  const { objectRef } = intent;
  return [
    ...[position, leaf.workspace, Date.parse(leaf.timestamp), leaf.decision_id, leaf.audit_id, leaf.keyId],
    ...[leaf.timestamp, leaf.decision, leaf.evaluatedDecision, leaf.reason_code],
    ...[intent.system, intent.objectType ?? null],
    typeof objectRef === 'string' ? storableText(objectRef) : null,
    ...[intent.field ?? null, intent.operation ?? null, intent.workflowId ?? null, intent.runId ?? null],
  ];
};

type DayCount = [workspace: string, day: string, keyId: string, checks: number];
type HourCount = [
  workspace: string,
  hourMs: number,
  allow: number,
  pause: number,
  block: number,
  warned: number,
];
const HOUR_MS = 3_600_000;
const NAMES = { 4: 3, 6: 2 } as const;

/** Adds up what comes after the names. */
const addTo = <Count extends DayCount | HourCount>(
  counts: Map<string, Count>,
  name: string,
  one: Count,
): void => {
  const before = counts.get(name);
  if (before === undefined) {
    counts.set(name, one);
    return;
  }
  for (let at: number = NAMES[one.length as 4 | 6]; at < one.length; at += 1)
    (before as (string | number)[])[at] = (before[at] as number) + (one[at] as number);
};

/** Sorted, since another process may be counting the same days for another log. */
const columnsOf = (
  counts: ReadonlyMap<string, DayCount | HourCount>,
  width: number,
): readonly unknown[][] => {
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
  return Array.from({ length: width }, (_, column) => sorted.map((count) => count[column]));
};

export interface Pending {
  readonly log: number;
  /** How many leaves of it are to be indexed. */
  readonly size: number;
  readonly behind: number;
}

/** The logs of which something is not indexed yet. */
export const pendingLogs = (query: Query): Promise<readonly Pending[]> =>
  query<Pending>(
    `SELECT i.log, l.size, l.size - i.size AS behind FROM writecheck.indexed i JOIN writecheck.log l ON l.number = i.log
     WHERE i.size < l.size ORDER BY i.log`,
  );

/**
 * Within a transaction: indexes some of what is pending of a log, up to `size` leaves; false where nothing is.
 * INVARIANT: rows and progress are committed together and under the lock of the log's row, so no record is indexed
 * twice and none is left out.
 */
export const indexSome = async (
  query: Query,
  { log, size }: Pick<Pending, 'log' | 'size'>,
): Promise<boolean> => {
  // It may lose its newest rows with the machine: they are filled in again from the log.
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
  const rows: (readonly unknown[])[] = [];
  const daily = new Map<string, DayCount>();
  const hourly = new Map<string, HourCount>();
  for (const segment of segments) {
    const { position } = segment;
    useSegment(segment, (entries) => {
      for (const [i, { record, leaf }] of entries.entries()) {
        // Nothing is left of what was pruned but its hash; and what is no decision has no place in a list of them.
        const parsed =
          leaf.length === 0 ? null : (JSON.parse(Buffer.from(leaf).toString()) as Leaf | { kind: string });
        if (parsed === null || 'kind' in parsed) continue;
        rows.push(rowOf(position + i, record, parsed));
        const day: DayCount = [parsed.workspace, parsed.timestamp.slice(0, 10), parsed.keyId, 1];
        addTo(daily, day.slice(0, 3).join(' '), day);
        const atMs = Date.parse(parsed.timestamp);
        const isOf = (decision: string): number => (parsed.decision === decision ? 1 : 0);
        const isWarned = parsed.evaluatedDecision === parsed.decision ? 0 : 1;
        const hourMs = atMs - (atMs % HOUR_MS);
        const hour: HourCount = [
          parsed.workspace,
          hourMs,
          isOf('allow'),
          isOf('pause'),
          isOf('block'),
          isWarned,
        ];
        addTo(hourly, hour.slice(0, 2).join(' '), hour);
      }
    });
  }
  if (rows.length > 0) {
    await query(
      INSERT,
      COLUMNS.map((_, column) => rows.map((row) => row[column])),
    );
    await query(
      `INSERT INTO writecheck.daily AS d SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[])
       ON CONFLICT (workspace, day, key_id) DO UPDATE SET checks = d.checks + excluded.checks`,
      columnsOf(daily, 4),
    );
    await query(
      `INSERT INTO writecheck.hourly AS h SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[],
         $5::bigint[], $6::bigint[]) ON CONFLICT (workspace, hour_ms) DO UPDATE SET allow = h.allow + excluded.allow,
         pause = h.pause + excluded.pause, block = h.block + excluded.block, warned = h.warned + excluded.warned`,
      columnsOf(hourly, 6),
    );
  }
  await query('UPDATE writecheck.indexed SET size = $2 WHERE log = $1', [
    log,
    last.position + last.count - base,
  ]);
  return true;
};

/** Throws everything away, to be filled again. */
export const clearIndex = async (query: Query): Promise<void> => {
  await query('SELECT 1 FROM writecheck.indexed ORDER BY log FOR UPDATE');
  await query('DELETE FROM writecheck.decision');
  await query('DELETE FROM writecheck.daily');
  await query('DELETE FROM writecheck.hourly');
  await query('UPDATE writecheck.indexed SET size = 0');
};
