/** Policy revisions, revocations and redemptions in SQLite: the operations that write, each one transaction. */
import type { ConsumedAttestation } from '@writecheck/contract';
import { redemptionEntry } from '../commit/new-entries.ts';
import {
  type AppendPolicyOutcome,
  keptRedeemKey,
  type NewPolicy,
  type RedeemOutcome,
  type Redemption,
  redeemClaimDigest,
} from '../port.ts';
import type { AnswerRow } from '../rows.ts';
import { prepareAppendEntries } from './append-entry.ts';
import type { NoteChange } from './changes.ts';
import { FIND_ANSWER, prepareWriteAnswer } from './kept-answers.ts';
import type { Db } from './open-database.ts';
import { preparePeopleSweep } from './people-writes.ts';
import { recoverRedemptions } from './recover-redemptions.ts';

export function preparePolicyWrites(db: Db, noteChange: NoteChange) {
  const running = db.prepare(
    'SELECT revision, digest FROM policy WHERE workspace = ? ORDER BY revision DESC LIMIT 1',
  );
  const insert = db.prepare(
    `INSERT INTO policy (workspace, revision, digest, documents, author_key, created_ms, rollback_of,
       author_person, loosens, message)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    appendPolicy(policy: NewPolicy): AppendPolicyOutcome {
      const { workspace, digest, documents, authorKeyId, createdAtMs, rollbackOf, expectedDigest } = policy;
      const { authorPersonId = null, message = null } = policy;
      const loosens = policy.loosens === true ? 1 : 0;
      const row = running.get(workspace) as { revision: number; digest: string } | undefined;
      const runningDigest = row?.digest ?? null;
      if (expectedDigest !== undefined && expectedDigest !== runningDigest) {
        return { kind: 'conflict', runningDigest };
      }
      if (row !== undefined && row.digest === digest) return { kind: 'unchanged', revision: row.revision };
      const revision = (row?.revision ?? 0) + 1;
      insert.run(
        workspace,
        revision,
        digest,
        documents,
        authorKeyId,
        createdAtMs,
        rollbackOf,
        authorPersonId,
        loosens,
        message,
      );
      noteChange('policy', workspace, digest);
      return { kind: 'appended', revision };
    },
  };
}

export function prepareEvidenceWrites(db: Db) {
  const insert = db.prepare('INSERT INTO revoked_attestation VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const read = db
    .prepare('SELECT revoked_ms FROM revoked_attestation WHERE workspace = ? AND source = ? AND jti = ?')
    .pluck();
  return {
    revokeAttestation(workspace: string, { source, jti }: ConsumedAttestation, nowMs: number): number {
      insert.run(workspace, source, jti, nowMs);
      return read.get(workspace, source, jti) as number;
    },
  };
}

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

/** Removes expired responses, sessions and one-time values oldest first, a batch at a time. */
export function prepareSweep(db: Db) {
  const drop = db.prepare(
    `DELETE FROM idempotency WHERE expires_ms <= ? AND number IN
       (SELECT number FROM idempotency ORDER BY number LIMIT ${SWEEP_ROWS})`,
  );
  const sweepPeople = preparePeopleSweep(db);
  return {
    sweepAnswers(nowMs: number): number {
      return drop.run(nowMs).changes + sweepPeople(nowMs);
    },
  };
}
