/** All operations that read the database itself: short lookups on a connection that cannot write. */
import type { ConsumedAttestation } from '@writecheck/contract';
import type { StoredRow } from '../archive/log-rows.ts';
import type {
  AttestationState,
  LogHead,
  PolicyRevision,
  Segment,
  StoredAnswer,
  StoredCheckpoint,
  StoredPolicy,
  Usage,
} from '../port.ts';
import { type AnswerRow, type PolicyRow, policyOf, revisionOf, storedAnswer } from '../rows.ts';
import { decodeSegment, type StoredSegment } from '../segment.ts';
import { prepareFindDecision } from './find-decision.ts';
import { FIND_ANSWER } from './kept-answers.ts';
import { prepareSubtreeReader } from './log-tree.ts';
import type { Db } from './open-database.ts';
import { preparePeopleReads } from './people-reads.ts';
import { prepareReviewReads } from './review-reads.ts';
import { prepareWebhookReads } from './webhook-reads.ts';

export function prepareReader(db: Db) {
  const usage = db.prepare('SELECT kind, used FROM usage WHERE workspace = ? AND period = ?');
  const answer = db.prepare(FIND_ANSWER);
  const attestation = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM consumed_attestation WHERE workspace = @workspace AND source = @source AND jti = @jti) AS used,
       EXISTS (SELECT 1 FROM revoked_attestation WHERE workspace = @workspace AND source = @source AND jti = @jti) AS revoked`,
  );
  const currentPolicy = db.prepare('SELECT * FROM policy WHERE workspace = ? ORDER BY revision DESC LIMIT 1');
  const policy = db.prepare('SELECT * FROM policy WHERE workspace = ? AND revision = ?');
  const policyByDigest = db.prepare(
    'SELECT * FROM policy WHERE workspace = ? AND digest = ? ORDER BY revision DESC LIMIT 1',
  );
  const policies = db.prepare(
    `SELECT workspace, revision, digest, author_key, created_ms, rollback_of, author_person, message
     FROM policy WHERE workspace = ? ORDER BY revision DESC LIMIT ?`,
  );
  const newest = db.prepare('SELECT newest_ms FROM log ORDER BY base DESC, log LIMIT 1').pluck();
  const logs = db.prepare('SELECT log, base, size, frontier, newest_ms FROM log ORDER BY base, log');
  const segments = db.prepare(
    `SELECT position, count, oldest_ms AS oldestMs, horizon_ms AS latestMs, leaf_hashes AS leafHashes, body FROM segment WHERE log = @log AND position + count > @from AND position >=
       coalesce((SELECT max(position) FROM segment WHERE position <= @from), 0)
     ORDER BY position LIMIT @limit`,
  );
  const checkpoint = db.prepare('SELECT log, size, note, frontier FROM checkpoint WHERE log = ?');
  const verifierKeys = db.prepare('SELECT line FROM verifier_key ORDER BY number DESC').pluck();

  return {
    ...prepareReviewReads(db),
    ...preparePeopleReads(db),
    ...prepareWebhookReads(db),
    findDecision: prepareFindDecision(db),
    subtreeHashes: prepareSubtreeReader(db),
    newestCheckpoint: (log: string): StoredCheckpoint | null =>
      (checkpoint.get(log) as StoredCheckpoint | undefined) ?? null,
    verifierKeys: (): readonly string[] => verifierKeys.all() as string[],

    usage(id: string, period: string): Usage {
      const rows = usage.all(id, period) as { kind: string; used: number }[];
      const used = (kind: string): number => rows.find((row) => row.kind === kind)?.used ?? 0;
      return { development: used('development'), live: used('live') };
    },

    findAnswer(id: string, key: string, nowMs: number): StoredAnswer | null {
      const row = answer.get(id, key, nowMs) as AnswerRow | undefined;
      return row === undefined ? null : storedAnswer(row);
    },

    attestationStates: (id: string, items: readonly ConsumedAttestation[]): readonly AttestationState[] =>
      items.map(({ source, jti }) => {
        const row = attestation.get({ workspace: id, source, jti }) as { used: number; revoked: number };
        return { source, jti, usedUp: row.used === 1, revoked: row.revoked === 1 };
      }),

    currentPolicy: (id: string): StoredPolicy | null =>
      policyOf(currentPolicy.get(id) as PolicyRow | undefined),
    findPolicy: (id: string, revision: number): StoredPolicy | null =>
      policyOf(policy.get(id, revision) as PolicyRow | undefined),
    findPolicyByDigest: (id: string, digest: string): StoredPolicy | null =>
      policyOf(policyByDigest.get(id, digest) as PolicyRow | undefined),
    listPolicies: (id: string, limit = -1): readonly PolicyRevision[] =>
      (policies.all(id, limit) as PolicyRow[]).map(revisionOf),

    newestAtMs: (): number => newest.get() as number,
    look: () => ({ newestAtMs: newest.get() as number, clockMs: null }),
    logs: (): readonly LogHead[] =>
      (logs.all() as { log: string; size: number; frontier: Buffer; newest_ms: number }[]).map((row) => ({
        log: row.log,
        size: row.size,
        frontier: row.frontier,
        newestAtMs: row.newest_ms,
      })),
    segments(log: string, fromIndex: number, limit: number): readonly Segment[] {
      return storedRows(log, fromIndex, limit).map(({ firstIndex, count, leafHashes, body }) => ({
        log,
        firstIndex,
        entries: decodeSegment({ position: firstIndex, count, body }),
        leafHashes,
      }));
    },
    storedRows,
  };

  function storedRows(log: string, fromIndex: number, limit: number): readonly StoredRow[] {
    const base = (logs.all() as { log: string; base: number }[]).find((row) => row.log === log)?.base;
    if (base === undefined) return [];
    const rows = segments.all({ log, from: base + fromIndex, limit }) as (Omit<StoredRow, 'firstIndex'> &
      StoredSegment)[];
    return rows.map(({ position, ...row }) => ({ ...row, firstIndex: position - base }));
  }
}

export type Reader = ReturnType<typeof prepareReader>;
