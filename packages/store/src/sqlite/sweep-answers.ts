/** Removes expired responses to repeated requests in SQLite. */
import type { Db } from './open-database.ts';

/** Commits wait during a batch. */
const SWEEP_ROWS = 250;

/** Removes expired responses oldest first, a batch at a time. */
export function prepareSweep(db: Db) {
  const drop = db.prepare(
    `DELETE FROM idempotency WHERE number IN
       (SELECT number FROM idempotency WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ${SWEEP_ROWS})`,
  );
  return {
    sweepAnswers(nowMs: number): number {
      return drop.run(nowMs).changes;
    },
  };
}
