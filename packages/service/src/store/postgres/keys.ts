/** Workspaces and keys in PostgreSQL: the operations that write, each one transaction under its workspace's lock. */

import { KEY_EPOCH, standingOf } from '../port/people.ts';
import {
  type CreateKeyOutcome,
  type KeyRevoker,
  type NewKey,
  type RevokeKeyOutcome,
  type RotateKeyOutcome,
  type Rotation,
  type StoredKey,
  UNREVOKED_KEYS_MAX,
  type Workspace,
} from '../port.ts';
import { inactiveBecause, type KeyRow, NEW_KEY_COLUMNS, newKeyRow, storedKey } from '../rows.ts';
import { noteChange } from './changes.ts';
import type { Connections, Query } from './connection.ts';

async function insertKey(
  query: Query,
  workspace: string,
  key: NewKey,
  rotatedFrom: string | null = null,
): Promise<StoredKey> {
  const { values, stored } = newKeyRow(workspace, key, rotatedFrom);
  const places = values.map((_, i) => `$${i + 1}`).join(', ');
  await query(`INSERT INTO writecheck.api_key (${NEW_KEY_COLUMNS.join(', ')}) VALUES (${places})`, values);
  return stored;
}

/**
 * Anything that counts or changes the keys or policies of a workspace waits here for its turn; false if there is no
 * such workspace.
 */
export async function lockWorkspace(query: Query, id: string): Promise<boolean> {
  return (await query('SELECT 1 FROM writecheck.workspace WHERE id = $1 FOR NO KEY UPDATE', [id])).length > 0;
}

async function readKey(query: Query, workspace: string, keyId: string): Promise<KeyRow | undefined> {
  return (
    await query<KeyRow>('SELECT * FROM writecheck.api_key WHERE workspace = $1 AND id = $2', [
      workspace,
      keyId,
    ])
  )[0];
}

async function countOf(query: Query, condition: string, values: readonly unknown[]): Promise<number> {
  return (
    await query<{ count: number }>(
      `SELECT count(*) AS count FROM writecheck.api_key WHERE ${condition}`,
      values,
    )
  )[0]!.count;
}

async function isFull(query: Query, workspace: string): Promise<boolean> {
  return (await countOf(query, 'workspace = $1 AND revoked_ms IS NULL', [workspace])) >= UNREVOKED_KEYS_MAX;
}

export function prepareKeyWrites({ transaction, query: run }: Connections) {
  return {
    createWorkspace: (
      workspace: Workspace,
      keys: readonly NewKey[],
      options?: { readonly onlyIfNone?: boolean },
    ): Promise<{ readonly kind: 'created' } | { readonly kind: 'exists' }> =>
      transaction(async (query) => {
        if (options?.onlyIfNone === true) {
          // If several processes start together, one creates the first workspace and the others see it.
          await query("SELECT pg_advisory_xact_lock(hashtextextended('writecheck first workspace', 0))");
          if ((await query('SELECT 1 FROM writecheck.workspace LIMIT 1')).length > 0)
            return { kind: 'exists' };
        }
        const { id, name, createdAtMs, liveGranted } = workspace;
        const made = await query(
          `INSERT INTO writecheck.workspace (id, name, created_ms, live_granted) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING RETURNING 1`,
          [id, name, createdAtMs, liveGranted],
        );
        if (made.length === 0) return { kind: 'exists' };
        for (const key of keys) await insertKey(query, id, key);
        return { kind: 'created' };
      }),

    grantLive: async (workspace: string, granted: boolean): Promise<boolean> =>
      (
        await run('UPDATE writecheck.workspace SET live_granted = $2 WHERE id = $1 RETURNING 1', [
          workspace,
          granted,
        ])
      ).length === 1,

    createKey: (workspace: string, key: NewKey): Promise<CreateKeyOutcome> =>
      transaction(async (query) => {
        if (!(await lockWorkspace(query, workspace))) return { kind: 'no_such_workspace' };
        if (await isFull(query, workspace)) return { kind: 'too_many_keys' };
        return { kind: 'created', key: await insertKey(query, workspace, key) };
      }),

    revokeKey: (
      workspace: string,
      keyId: string,
      nowMs: number,
      by: KeyRevoker | null = null,
    ): Promise<RevokeKeyOutcome> =>
      transaction(async (query) => {
        await lockWorkspace(query, workspace);
        const row = await readKey(query, workspace, keyId);
        if (row === undefined) return { kind: 'not_found' };
        if (row.revoked_ms !== null) return { kind: 'revoked', revokedAtMs: row.revoked_ms };
        const isLasting = row.kind === 'owner' && row.expires_ms === null;
        const others = `workspace = $1 AND kind = 'owner' AND revoked_ms IS NULL AND expires_ms IS NULL AND id <> $2`;
        if (isLasting && (await countOf(query, others, [workspace, keyId])) === 0)
          return { kind: 'last_owner_key' };
        await query('UPDATE writecheck.api_key SET revoked_ms = $2, revoked_by = $3 WHERE id = $1', [
          keyId,
          nowMs,
          by === null ? null : JSON.stringify(by),
        ]);
        if (row.kind === 'owner') {
          const { source, jti } = standingOf({ id: keyId, epoch: KEY_EPOCH });
          await query(
            'INSERT INTO writecheck.revoked_attestation VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
            [workspace, source, jti, nowMs],
          );
        }
        await noteChange(query, 'key', workspace, keyId);
        return { kind: 'revoked', revokedAtMs: nowMs };
      }),

    rotateKey: (rotation: Rotation): Promise<RotateKeyOutcome> =>
      transaction(async (query) => {
        const { workspace, keyId, nowMs, oldExpiresAtMs, replacement } = rotation;
        await lockWorkspace(query, workspace);
        const row = await readKey(query, workspace, keyId);
        if (row === undefined) return { kind: 'not_found' };
        const because = inactiveBecause(row, nowMs);
        if (because !== null) return { kind: 'not_active', because };
        if (await isFull(query, workspace)) return { kind: 'too_many_keys' };
        // INVARIANT: the new key takes over the old one's expiry before the old one gets another, so a lasting owner
        // key always remains.
        const like = { ...storedKey(row), ...replacement, createdAtMs: nowMs };
        const key = await insertKey(query, workspace, like, keyId);
        const expiresMs = Math.min(row.expires_ms ?? oldExpiresAtMs, oldExpiresAtMs);
        await query('UPDATE writecheck.api_key SET expires_ms = $2, rotated_ms = $3 WHERE id = $1', [
          keyId,
          expiresMs,
          nowMs,
        ]);
        await noteChange(query, 'key', workspace, keyId);
        return { kind: 'rotated', key };
      }),

    async touchKeys(uses: readonly { readonly keyId: string; readonly atMs: number }[]): Promise<void> {
      // Locked in one order, since other processes touch the same keys.
      await run(
        `WITH used AS (SELECT id, max(at_ms) AS at_ms FROM unnest($1::text[], $2::bigint[]) AS u (id, at_ms) GROUP BY id),
         locked AS (SELECT k.id FROM writecheck.api_key k JOIN used USING (id) ORDER BY k.id FOR NO KEY UPDATE OF k)
       UPDATE writecheck.api_key k SET last_used_ms = used.at_ms FROM used JOIN locked USING (id)
       WHERE k.id = used.id AND coalesce(k.last_used_ms, 0) < used.at_ms`,
        [uses.map(({ keyId }) => keyId), uses.map(({ atMs }) => atMs)],
      );
    },
  };
}
