/** Begins a new log after each open one, all in one transaction. */
import { EMPTY_FRONTIER, segmentOf } from '../commit/segment-builder.ts';
import { encodeSegment } from '../log/segment.ts';
import type { Continuation, KnownSize } from '../port.ts';
import type { Connections, Query } from './connection.ts';

export function prepareContinueLogs({ transaction }: Connections) {
  return (continuations: readonly Continuation[]): Promise<boolean> =>
    transaction(async (query) => {
      await query("SELECT pg_advisory_xact_lock(hashtextextended('writecheck claim', 0))");
      const open = await query<KnownSize>(
        'SELECT log, size FROM writecheck.log WHERE is_open AND size > 0 FOR NO KEY UPDATE',
      );
      const isThere = ({ from }: Continuation) =>
        open.some(({ log, size }) => log === from.log && size === from.size);
      if (!continuations.every(isThere)) return false;
      const ended = continuations.map(({ from }) => from.log);
      // INVARIANT: no log begins twice. The lost part may have begun an empty log, so it ends too.
      await query(
        'UPDATE writecheck.log SET is_open = false WHERE log = ANY ($1) OR (is_open AND size = 0)',
        [ended],
      );
      await acknowledgeLoss(query);
      for (const continuation of continuations) await begin(query, continuation);
      return true;
    });
}

/** Records the loss: the new logs name the checkpoints they continue from. */
async function acknowledgeLoss(query: Query): Promise<void> {
  const nowMs = 'floor(extract(epoch FROM clock_timestamp()) * 1000)';
  // A checkpoint may have arrived after the failover that lost its entries.
  await query(
    `WITH beyond AS (DELETE FROM writecheck.checkpoint c USING writecheck.log l
       WHERE l.log = c.log AND c.size > l.size RETURNING c.log, c.size)
     INSERT INTO writecheck.lost_entries (log, size, reported_ms) SELECT log, size, ${nowMs} FROM beyond
     ON CONFLICT DO NOTHING`,
  );
  await query(`UPDATE writecheck.lost_entries SET restored_ms = ${nowMs} WHERE restored_ms IS NULL`);
}

async function begin(query: Query, { log, leaf, atMs }: Continuation): Promise<void> {
  const [made] = await query<{ number: number }>(
    `INSERT INTO writecheck.log SELECT max(number) + 1, $1, 0, $2, $3, true, '', '-infinity'
     FROM writecheck.log RETURNING number`,
    [log, EMPTY_FRONTIER, atMs],
  );
  const { number } = made!;
  await query('INSERT INTO writecheck.indexed VALUES ($1, 0)', [number]);
  const empty = { log, size: 0, frontier: EMPTY_FRONTIER, newestMs: atMs };
  const { next, leafHashes, entries } = segmentOf(empty, [{ leaf, atMs }]);
  await query(`SELECT writecheck.append($1, '0', $2, $3, 1, $4, $4, $5, $6, '{}', '{}', '{}')`, [
    number,
    Buffer.from(next.frontier),
    next.newestMs,
    atMs,
    leafHashes,
    encodeSegment(entries),
  ]);
  await query("UPDATE writecheck.log SET leased_until = '-infinity' WHERE number = $1", [number]);
}
