/** Lost entries and expired responses: the operations that write. */
import type { KnownSize } from '../port.ts';
import type { Connections } from './connection.ts';
import { REPORT_LOST } from './known-heads.ts';

const SWEEP_ROWS = 1_000;

export function prepareSideWrites({ query: run }: Connections) {
  return {
    async sweepAnswers(nowMs: number): Promise<number> {
      const gone = await run(
        `DELETE FROM writecheck.idempotency WHERE (workspace, key) IN (SELECT workspace, key FROM writecheck.idempotency
         WHERE expires_ms <= $1 ORDER BY expires_ms LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED) RETURNING 1`,
        [nowMs],
      );
      return gone.length;
    },

    async lostEntries(): Promise<readonly KnownSize[]> {
      return run<KnownSize>(
        'SELECT log, size FROM writecheck.lost_entries WHERE restored_ms IS NULL ORDER BY log, size',
      );
    },

    async reportLost({ log, size }: KnownSize): Promise<void> {
      await run(REPORT_LOST, [log, size]);
    },

    async heldUntilMs(): Promise<number | null> {
      const [row] = await run<{ readonly until_ms: number | null }>(
        `SELECT floor(extract(epoch FROM max(leased_until)) * 1000)::bigint AS until_ms FROM writecheck.log
         WHERE is_open AND leased_until > clock_timestamp()`,
      );
      return row!.until_ms;
    },
  };
}
