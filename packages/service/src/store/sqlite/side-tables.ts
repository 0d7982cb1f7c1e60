/** Redemptions and expired responses in SQLite: the operations that write, each one transaction. */
import { redemptionEntry } from '../commit/new-entries.ts';
import { keptRedeemKey, type RedeemOutcome, type Redemption, redeemClaimDigest } from '../port.ts';
import type { AnswerRow } from '../rows.ts';
import { prepareAppendEntries } from './append-entry.ts';
import { FIND_ANSWER, prepareWriteAnswer } from './kept-answers.ts';
import type { Db } from './open-database.ts';
import { recoverRedemptions } from './recover-redemptions.ts';

/** A redemption is replayed from its own row. */
const NO_RESPONSE = Buffer.alloc(0);

export function prepareRedemptionWrites(db: Db, log: string) {
  recoverRedemptions(db);
  const read = db.prepare(
    'SELECT redeemed_ms, idempotency_key FROM redemption WHERE workspace = ? AND decision_id = ?',
  );
  const insert = db.prepare('INSERT INTO redemption VALUES (?, ?, ?, ?, ?)');
  const findAnswer = db.prepare(FIND_ANSWER);
  const writeAnswer = prepareWriteAnswer(db);
  const running = db.prepare(
    'SELECT digest, created_ms FROM policy WHERE workspace = ? ORDER BY revision DESC LIMIT 1',
  );
  const isRevoked = db
    .prepare('SELECT 1 FROM revoked_attestation WHERE workspace = ? AND source = ? AND jti = ?')
    .pluck();
  const append = prepareAppendEntries(db);
  return {
    redeem(redemption: Redemption): RedeemOutcome {
      const { workspace, decisionId, keyId, atMs } = redemption;
      const { idempotency } = redemption;
      const claimDigest = redeemClaimDigest(redemption);
      if (idempotency !== null) {
        const kept = findAnswer.get(workspace, idempotency.key, atMs) as AnswerRow | undefined;
        if (kept !== undefined && kept.request_digest !== claimDigest) return { kind: 'key_reused' };
      }
      const key = keptRedeemKey(redemption);
      const row = read.get(workspace, decisionId) as
        | { redeemed_ms: number; idempotency_key: string | null }
        | undefined;
      if (row !== undefined) {
        if (key === null || row.idempotency_key === null) return { kind: 'already_redeemed' };
        if (row.idempotency_key === key) return { kind: 'same', redeemedAtMs: row.redeemed_ms };
        const isReused = row.idempotency_key.startsWith(`${idempotency!.key} `);
        return { kind: isReused ? 'key_reused' : 'already_redeemed' };
      }
      // INVARIANT: an allow is valid before its end and not at it; a time that is not a number is never before it.
      if (!(atMs < redemption.validUntilMs)) return { kind: 'expired' };
      const policy = running.get(workspace) as { digest: string; created_ms: number } | undefined;
      // A bundle that was replaced and then applied again is another revision.
      const isSame = (policy?.digest ?? null) === redemption.policyRef;
      if (!isSame || (policy?.created_ms ?? 0) > redemption.decidedAtMs) return { kind: 'policy_changed' };
      if (redemption.restsOn.some(({ source, jti }) => isRevoked.get(workspace, source, jti) !== undefined)) {
        return { kind: 'evidence_revoked' };
      }
      append(log, [redemptionEntry(log, redemption)]);
      insert.run(workspace, decisionId, keyId, atMs, key);
      if (idempotency !== null) {
        const { key: claimed, expiresAtMs } = idempotency;
        const answer = {
          requestDigest: claimDigest!,
          expiresAtMs,
          replayableWhile: null,
          response: NO_RESPONSE,
        };
        writeAnswer(workspace, claimed, answer);
      }
      return { kind: 'redeemed', redeemedAtMs: atMs };
    },
  };
}

/** Commits wait during a batch. */
const SWEEP_ROWS = 250;

/** Removes expired responses oldest first, a batch at a time. */
export function prepareSweep(db: Db) {
  const drop = db.prepare(
    `DELETE FROM idempotency WHERE expires_ms <= ? AND number IN
       (SELECT number FROM idempotency ORDER BY number LIMIT ${SWEEP_ROWS})`,
  );
  return {
    sweepAnswers(nowMs: number): number {
      return drop.run(nowMs).changes;
    },
  };
}
