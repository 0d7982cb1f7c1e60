/** The rows behind `Idempotency-Key`: what is kept of a request, put together inside its commit. */
import type { CommitEntry, IdempotencyClaim } from '../port.ts';
import type { Db } from './open-database.ts';

export const FIND_ANSWER = `SELECT request_digest, expires_ms, replayable_while, response FROM idempotency
  WHERE workspace = ? AND key = ? AND expires_ms > ?`;

export type KeepAnswer = (
  workspace: string,
  claim: IdempotencyClaim,
  entries: readonly Pick<CommitEntry, 'answers'>[],
  outcomes: readonly { readonly kind: 'committed' | 'quota_exceeded' }[],
) => void;

/** Takes the place of whatever was kept under the key: that has expired, or the caller has looked. */
export const prepareWriteAnswer = (db: Db) => {
  const write = db.prepare(
    `INSERT INTO idempotency (workspace, key, request_digest, expires_ms, replayable_while, response)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (workspace, key) DO UPDATE SET request_digest = excluded.request_digest,
       expires_ms = excluded.expires_ms, replayable_while = excluded.replayable_while, response = excluded.response`,
  );
  return (
    workspace: string,
    key: string,
    requestDigest: string,
    expiresAtMs: number,
    replayableWhile: string,
    response: Buffer,
  ): void => void write.run(workspace, key, requestDigest, expiresAtMs, replayableWhile, response);
};

export const prepareKeepAnswer = (db: Db): KeepAnswer => {
  const writeAnswer = prepareWriteAnswer(db);
  return (
    workspace: string,
    claim: IdempotencyClaim,
    entries: readonly Pick<CommitEntry, 'answers'>[],
    outcomes: readonly { readonly kind: 'committed' | 'quota_exceeded' }[],
  ): void => {
    let response = claim.frame[0] ?? '';
    for (const [i, entry] of entries.entries()) {
      const answers = entry.answers;
      if (answers === undefined) throw new TypeError('a request that claims a key must bring its answers');
      response += outcomes[i]!.kind === 'committed' ? answers.committed : answers.overQuota;
      response += claim.frame[i + 1] ?? '';
    }
    const { key, requestDigest, expiresAtMs, replayableWhile } = claim;
    const kept = JSON.stringify(replayableWhile);
    writeAnswer(workspace, key, requestDigest, expiresAtMs, kept, Buffer.from(response));
  };
};
