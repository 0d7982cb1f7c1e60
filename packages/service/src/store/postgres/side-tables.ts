/** Policy revisions, revocations, checkpoints, published keys and lost entries: the operations that write. */
import type { ConsumedAttestation } from '@writecheck/contract';
import type { AppendPolicyOutcome, KnownSize, NewPolicy, StoredCheckpoint } from '../port.ts';
import { noteChange } from './changes.ts';
import type { Connections } from './connection.ts';
import { REPORT_LOST } from './known-heads.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { sweepPeople } from './people-writes.ts';
import { storableId } from './storable-text.ts';

const SWEEP_ROWS = 1_000;

export function prepareSideWrites({ transaction, query: run }: Connections) {
  return {
    appendPolicy: (policy: NewPolicy): Promise<AppendPolicyOutcome> =>
      transaction(async (query) => {
        const { workspace, digest, documents, authorKeyId, createdAtMs, rollbackOf, expectedDigest } = policy;
        const { authorPersonId = null, message = null } = policy;
        await lockWorkspace(query, workspace);
        const [running] = await query<{ revision: number; digest: string }>(
          'SELECT revision, digest FROM writecheck.policy WHERE workspace = $1 ORDER BY revision DESC LIMIT 1',
          [workspace],
        );
        const runningDigest = running?.digest ?? null;
        if (expectedDigest !== undefined && expectedDigest !== runningDigest)
          return { kind: 'conflict', runningDigest };
        if (running !== undefined && running.digest === digest)
          return { kind: 'unchanged', revision: running.revision };
        const revision = (running?.revision ?? 0) + 1;
        const columns =
          'workspace, revision, digest, documents, author_key, created_ms, rollback_of, author_person, loosens, message';
        await query(
          `INSERT INTO writecheck.policy (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
          [
            workspace,
            revision,
            digest,
            documents,
            authorKeyId,
            createdAtMs,
            rollbackOf,
            authorPersonId,
            policy.loosens === true,
            message,
          ],
        );
        await noteChange(query, 'policy', workspace, digest);
        return { kind: 'appended', revision };
      }),

    async revokeAttestation(workspace: string, item: ConsumedAttestation, nowMs: number): Promise<number> {
      const [row] = await run<{ revoked_ms: number }>(
        // Updating the row to its current value returns it in either case.
        `INSERT INTO writecheck.revoked_attestation AS r VALUES ($1, $2, $3, $4)
       ON CONFLICT (workspace, source, jti) DO UPDATE SET revoked_ms = r.revoked_ms RETURNING revoked_ms`,
        [workspace, item.source, storableId(item), nowMs],
      );
      return row!.revoked_ms;
    },

    async sweepAnswers(nowMs: number): Promise<number> {
      const gone = await run(
        `DELETE FROM writecheck.idempotency WHERE (workspace, key) IN (SELECT workspace, key FROM writecheck.idempotency
         WHERE expires_ms <= $1 ORDER BY expires_ms LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED) RETURNING 1`,
        [nowMs],
      );
      return gone.length + (await sweepPeople(run, nowMs));
    },

    async keepCheckpoint({ log, size, note, frontier }: StoredCheckpoint): Promise<void> {
      await run(
        `INSERT INTO writecheck.checkpoint AS c VALUES ($1, $2, $3, $4) ON CONFLICT (log) DO UPDATE SET
         size = excluded.size, note = excluded.note, frontier = excluded.frontier WHERE excluded.size > c.size`,
        [log, size, note, Buffer.from(frontier)],
      );
    },

    async publishVerifierKey(line: string, nowMs: number): Promise<void> {
      await run(
        'INSERT INTO writecheck.verifier_key (line, published_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        [line, nowMs],
      );
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
