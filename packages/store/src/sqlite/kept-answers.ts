/** The rows behind `Idempotency-Key`. */
import type { StoredAnswer } from '../port.ts';
import type { Db } from './open-database.ts';

export const FIND_ANSWER = `SELECT request_digest, expires_ms, replayable_while, response FROM idempotency
  WHERE workspace = ? AND key = ? AND expires_ms > ?`;

/** Replaces whatever was kept under the key: it has expired, or the caller has checked it. */
export function prepareWriteAnswer(db: Db) {
  const write = db.prepare(
    `INSERT OR REPLACE INTO idempotency (workspace, key, request_digest, expires_ms, replayable_while, response)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  return (workspace: string, key: string, answer: StoredAnswer): void => {
    const { requestDigest, expiresAtMs, replayableWhile, response } = answer;
    write.run(workspace, key, requestDigest, expiresAtMs, JSON.stringify(replayableWhile), response);
  };
}
