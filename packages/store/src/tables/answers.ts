/** Kept responses and charges: what a commit writes besides the log. */
import { DAY_MS } from '@writecheck/contract';
import { dayOf } from '../commit/stored-bytes.ts';
import type { StoredAnswer } from '../port/commit.ts';
import type { Usage } from '../port/usage.ts';
import { boundWithoutResponse, holdsAnyOf } from '../prune/kept-decisions.ts';
import { type AnswerRow, storedAnswer } from '../rows.ts';
import { type Read, sql, type Write } from './operation.ts';

/** `period` is `2026-11`, UTC. The count is exact. */
export function* usage(workspace: string, period: string): Read<Usage> {
  const rows = yield* sql<{
    readonly kind: string;
    readonly used: number;
  }>`SELECT kind, sum(used)::bigint AS used
    FROM writecheck.usage WHERE workspace = ${workspace} AND period = ${period} GROUP BY kind`;
  const used = (kind: string): number => rows.find((row) => row.kind === kind)?.used ?? 0;
  return { development: used('development'), live: used('live') };
}

/** Keeps batches small, because commits wait for a batch on SQLite. */
const SWEEP_ROWS = 250;

/** Removes what was stored on days that are over, a batch at a time: only today has a ceiling. */
export function* sweepDays(nowMs: number): Write<number> {
  const before = dayOf(nowMs - DAY_MS);
  const gone = yield* sql`DELETE FROM writecheck.usage WHERE (workspace, period, kind) IN (
    SELECT workspace, period, kind FROM writecheck.usage WHERE length(period) = 10 AND period < ${before}
    LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED) RETURNING 1`;
  return gone.length;
}

/** The unexpired response bound to an idempotency key. */
export function* findAnswer(workspace: string, key: string, nowMs: number): Read<StoredAnswer | null> {
  const [row] = yield* sql<AnswerRow>`SELECT request_digest, expires_ms, replayable_while, response
    FROM writecheck.idempotency WHERE workspace = ${workspace} AND key = ${key} AND expires_ms > ${nowMs}`;
  return row === undefined ? null : storedAnswer(row);
}

/** Removes expired responses, oldest first. */
export function* sweepAnswers(nowMs: number): Write<number> {
  const gone = yield* sql`DELETE FROM writecheck.idempotency WHERE (workspace, key) IN (
    SELECT workspace, key FROM writecheck.idempotency WHERE expires_ms <= ${nowMs} ORDER BY expires_ms
    LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED) RETURNING 1`;
  return gone.length;
}

const FORGOTTEN_AT_ONCE = 100;
const EMPTY = Buffer.alloc(0);

export interface AnswerPlace {
  readonly workspace: string;
  readonly key: string;
}

export const FIRST_ANSWER: AnswerPlace = { workspace: '', key: '' };

/** A few at a time, of those with one of these decisions; returns where to continue, or null at the end. */
export function* forgetAnswers(
  decisions: ReadonlySet<string>,
  after: AnswerPlace,
): Write<AnswerPlace | null> {
  const rows = yield* sql<
    AnswerRow & AnswerPlace
  >`SELECT workspace, key, request_digest, replayable_while, response
    FROM writecheck.idempotency WHERE (workspace, key) > (${after.workspace}, ${after.key})
    ORDER BY workspace, key LIMIT ${FORGOTTEN_AT_ONCE}`;
  for (const row of rows) {
    if (!holdsAnyOf(row, decisions)) continue;
    const { workspace, key, request_digest: digest } = row;
    const bound = boundWithoutResponse(row);
    if (bound === null)
      yield* sql`DELETE FROM writecheck.idempotency
        WHERE workspace = ${workspace} AND key = ${key} AND request_digest = ${digest}`;
    else
      yield* sql`UPDATE writecheck.idempotency SET response = ${EMPTY}, replayable_while = ${bound}
        WHERE workspace = ${workspace} AND key = ${key} AND request_digest = ${digest}`;
  }
  if (rows.length < FORGOTTEN_AT_ONCE) return null;
  const { workspace, key } = rows.at(-1)!;
  return { workspace, key };
}
