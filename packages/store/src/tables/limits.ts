/** The draws of recorded allows. */
import {
  amountOfSum,
  amountText,
  counts,
  type Draws,
  drawnAt,
  drawsEndMs,
  drawsOfText,
  drawsText,
  LATER_MS_MAX,
} from '@writecheck/contract';
import { windowOf } from '../commit/admit-limits.ts';
import { limitCorrectedEntry } from '../commit/new-entries.ts';
import {
  type CorrectedDraws,
  type Correction,
  type CorrectionOutcome,
  counterPlace,
  type DrawnGroup,
  groupPlace,
  type StoredDraws,
} from '../port/limits.ts';
import { begin } from './acting.ts';
import {
  type Append,
  append,
  holdLogs,
  insertion,
  list,
  part,
  type Read,
  separated,
  sql,
  type Write,
} from './operation.ts';

export const TABLES = `
-- The draws of recorded allows. A place is a digest of the counter, then one of the group. The command
-- index rebuild recounts the draws from the log and from pruned, which holds the window and
-- the draws whose records were removed.
CREATE TABLE writecheck.limit_draws (
  place bytea PRIMARY KEY,
  texts text NOT NULL,
  draws text NOT NULL,
  until_ms bigint NOT NULL,
  pruned text NOT NULL DEFAULT ''
) WITHOUT ROWID WITH (fillfactor = 80);
CREATE INDEX limit_draws_by_end ON writecheck.limit_draws (until_ms);

-- When the store was restored from a backup; at most one row.
CREATE TABLE writecheck.limit_restored (
  restored_ms bigint NOT NULL
);
`;

const SWEPT_MAX = 1_000;

/** The bytes of a place in hex. */
export function bytesOf(place: string): Uint8Array {
  return Buffer.from(place, 'hex');
}

export function hexOf(place: Uint8Array): string {
  return Buffer.from(place).toString('hex');
}

/** The place after every group of a counter: no digest begins with more. */
export function endOf(counter: string): Uint8Array {
  return bytesOf(counter + 'ff'.repeat(17));
}

/** One for each place, in order. */
export function* drawsAt(places: readonly string[]): Read<readonly StoredDraws[]> {
  if (places.length === 0) return [];
  // One row says when the store was restored, even if nothing was drawn.
  const rows = yield* sql<{
    readonly place: Uint8Array | null;
    readonly draws: string | null;
    readonly restored_ms: number | null;
  }>`SELECT d.place, d.draws, r.restored_ms
    FROM (SELECT max(restored_ms) AS restored_ms FROM writecheck.limit_restored) AS r
    LEFT JOIN writecheck.limit_draws d ON d.place IN (${list(places.map(bytesOf), '::bytea')})`;
  const draws = new Map(rows.map((row) => [row.place === null ? '' : hexOf(row.place), row.draws]));
  const restoredMs = rows[0]?.restored_ms ?? null;
  return places.map((place) => ({ draws: draws.get(place) ?? '', restoredMs }));
}

/** Counts, for each counter, the groups that have a draw in the window at that moment. */
export function* countGroups(counters: readonly string[], nowMs: number): Read<readonly number[]> {
  if (counters.length === 0) return [];
  const named = counters.map(
    (counter, i) => part`(${i}::integer, ${bytesOf(counter)}::bytea, ${endOf(counter)}::bytea)`,
  );
  const rows = yield* sql<{ readonly groups: number }>`
    WITH n (place, since, until) AS (VALUES ${separated(named)})
    SELECT (SELECT count(*) FROM writecheck.limit_draws d
      WHERE d.place >= n.since AND d.place < n.until AND d.until_ms > ${nowMs} AND d.draws <> '') AS groups
    FROM n ORDER BY n.place`;
  return rows.map(({ groups }) => Number(groups));
}

/** The groups of a counter with a draw, in order of place, after this one. */
export function* listGroups(
  counter: string,
  nowMs: number,
  after: string | null,
  limit: number,
): Read<readonly DrawnGroup[]> {
  const since = bytesOf(after ?? counter);
  const rows = yield* sql<{ readonly place: Uint8Array; readonly texts: string; readonly draws: string }>`
    SELECT place, texts, draws FROM writecheck.limit_draws
    WHERE place > ${since} AND place < ${endOf(counter)} AND until_ms > ${nowMs} AND draws <> ''
    ORDER BY place LIMIT ${limit}`;
  return rows.map(({ place, texts, draws }) => ({ place: hexOf(place), texts: JSON.parse(texts), draws }));
}

/**
 * Gives back draws, and logs it. INVARIANT: the oldest draws go first, so that the remaining ones count as long
 * as possible.
 */
export function* correctDraws(correction: Correction): Append<CorrectionOutcome> {
  const { workspace, per, groupDigest, amount, atMs, by } = correction;
  // INVARIANT: locks the workspace, so of two corrections under one key the second sees the first.
  yield* begin(workspace, by, atMs);
  const before = yield* madeUnder(correction);
  if (before !== null) return before;
  // INVARIANT: the log is locked before its counters, as in a commit, so that no two wait in a circle.
  yield* holdLogs('own');
  const place = bytesOf(groupPlace(counterPlace(correction), groupDigest));
  const [row] = yield* sql<{ readonly draws: string }>`
    SELECT draws FROM writecheck.limit_draws WHERE place = ${place} AND until_ms > ${atMs} FOR UPDATE`;
  if (row === undefined) return { kind: 'unknown_group' };
  const window = windowOf(per);
  const held = drawsOfText(row.draws);
  const { drawn } = drawnAt(window, held, atMs);
  if (drawn === 0n) return { kind: 'unknown_group' };
  let left = amountOfSum(amount);
  if (left > drawn) return { kind: 'too_much', drawn: amountText(drawn) };
  const after: [number, bigint][] = [];
  const givenBack: { readonly step: number; readonly amount: string }[] = [];
  for (const [step, known] of held) {
    const taken = counts(window, step, atMs) ? (left < known ? left : known) : 0n;
    left -= taken;
    if (taken > 0n) givenBack.push({ step, amount: amountText(taken) });
    if (known > taken) after.push([step, known - taken]);
  }
  yield* writeDraws(place, after, drawsEndMs(window, after));
  yield* append((log) => [limitCorrectedEntry(log, correction, givenBack)]);
  const [restored] = yield* sql<{
    readonly restored_ms: number;
  }>`SELECT restored_ms FROM writecheck.limit_restored`;
  const { max } = correction;
  const corrected = { draws: drawsText(after), restoredMs: restored?.restored_ms ?? null, atMs, max };
  yield* keepUnder(correction, corrected);
  return { kind: 'corrected', corrected, isNew: true };
}

function* madeUnder({ workspace, idempotency, atMs }: Correction): Read<CorrectionOutcome | null> {
  if (idempotency === null) return null;
  const [row] = yield* sql<{ readonly request_digest: string; readonly response: Uint8Array }>`
    SELECT request_digest, response FROM writecheck.idempotency
    WHERE workspace = ${workspace} AND key = ${idempotency.key} AND expires_ms > ${atMs}`;
  if (row === undefined) return null;
  if (row.request_digest !== idempotency.requestDigest) return { kind: 'key_reused' };
  const corrected = JSON.parse(Buffer.from(row.response).toString()) as CorrectedDraws;
  return { kind: 'corrected', corrected, isNew: false };
}

function* keepUnder({ workspace, idempotency }: Correction, corrected: CorrectedDraws): Write<void> {
  if (idempotency === null) return;
  const { key, requestDigest, expiresAtMs } = idempotency;
  // An existing row has expired.
  yield* sql`DELETE FROM writecheck.idempotency WHERE workspace = ${workspace} AND key = ${key}`;
  const row = {
    workspace,
    key,
    request_digest: requestDigest,
    expires_ms: expiresAtMs,
    replayable_while: 'null',
    response: Buffer.from(JSON.stringify(corrected)),
  };
  yield* sql`INSERT INTO writecheck.idempotency ${insertion(row)}`;
}

/** INVARIANT: a row stays for as long as its window, because pruned draws are counted in it. */
function* writeDraws(place: Uint8Array, draws: Draws, untilMs: number): Write<void> {
  const until = draws.length === 0 ? part`until_ms` : part`${untilMs}`;
  yield* sql`UPDATE writecheck.limit_draws SET draws = ${drawsText(draws)}, until_ms = ${until}
    WHERE place = ${place}`;
}

/** Makes windows that contain this moment count as used up from now on; null ends that. */
export function* doubtDraws(restoredMs: number | null): Write<void> {
  yield* sql`DELETE FROM writecheck.limit_restored`;
  if (restoredMs !== null)
    yield* sql`INSERT INTO writecheck.limit_restored ${insertion({ restored_ms: restoredMs })}`;
}

/** Uses the newest record's time: a clock that is ahead must not end windows early. */
export function* sweepDraws(newestMs: number): Write<number> {
  const overMs = newestMs - LATER_MS_MAX;
  // INVARIANT: the outer condition is checked again once the row's lock is free; a draw may have come in
  // between.
  const rows = yield* sql`DELETE FROM writecheck.limit_draws WHERE until_ms <= ${overMs} AND place IN (
      SELECT place FROM writecheck.limit_draws WHERE until_ms <= ${overMs} ORDER BY until_ms LIMIT ${SWEPT_MAX})
    RETURNING 1`;
  return rows.length;
}
