/** Reads the counters that a commit draws on, under locks that it holds until its end. */
import type { AdmittedGroup } from '../commit/admit.ts';
import type { StoredDraws } from '../port/limits.ts';
import type { CommitRequest } from '../port.ts';
import type { Query } from './connection.ts';
import type { HeldLog } from './log-lease.ts';

/** Sorted, so that two commits never wait for each other in a circle. */
export function placesOf(requests: readonly CommitRequest[]): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const { limits } of requests)
    for (const { place, texts } of limits?.counters ?? []) places.set(place, texts);
  return new Map([...places].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Null if this writer no longer holds the log at that size, or a counter was swept in between. INVARIANT: the
 * log's row is locked first, as everywhere, and every counter has a row, because there is nothing else to lock.
 */
export async function lockDraws(
  query: Query,
  { number, writer, size }: HeldLog,
  places: ReadonlyMap<string, string>,
): Promise<((place: string) => StoredDraws) | null> {
  const held = await query(
    `SELECT 1 FROM writecheck.log WHERE number = $1 AND writer = $2 AND size = $3 AND is_open FOR NO KEY UPDATE`,
    [number, writer, size],
  );
  if (held.length === 0) return null;
  const keys = [...places.keys()].map((place) => Buffer.from(place, 'hex'));
  await query(
    `INSERT INTO writecheck.limit_draws (place, texts, draws, until_ms) SELECT p.place, p.texts, '', 0 FROM unnest($1::bytea[], $2::text[])
       WITH ORDINALITY AS p (place, texts, at) ORDER BY p.at ON CONFLICT DO NOTHING`,
    [keys, [...places.values()]],
  );
  const rows = await query<{ place: Buffer; draws: string; restored_ms: number | null }>(
    `SELECT place, draws, (SELECT max(restored_ms) FROM writecheck.limit_restored) AS restored_ms
     FROM writecheck.limit_draws WHERE place = ANY ($1) ORDER BY place FOR UPDATE`,
    [keys],
  );
  if (rows.length !== keys.length) return null;
  const known = new Map(
    rows.map(({ place, draws, restored_ms }) => [place.toString('hex'), { draws, restoredMs: restored_ms }]),
  );
  return (place) => known.get(place)!;
}

export async function writeDraws(
  query: Query,
  { draws }: Pick<AdmittedGroup<unknown>, 'draws'>,
): Promise<void> {
  if (draws.length === 0) return;
  await query(
    `UPDATE writecheck.limit_draws d SET draws = n.draws, until_ms = n.until_ms
     FROM unnest($1::bytea[], $2::text[], $3::bigint[]) AS n (place, draws, until_ms) WHERE d.place = n.place`,
    [
      draws.map(({ place }) => Buffer.from(place, 'hex')),
      draws.map((one) => one.draws),
      draws.map(({ untilMs }) => untilMs),
    ],
  );
}
