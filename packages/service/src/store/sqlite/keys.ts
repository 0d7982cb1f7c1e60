/** Workspaces and keys in SQLite: the operations that write, each one transaction. */

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
import type { NoteChange } from './changes.ts';
import type { Db } from './open-database.ts';

export function prepareKeyWrites(db: Db, noteChange: NoteChange) {
  const anyWorkspace = db.prepare('SELECT 1 FROM workspace LIMIT 1').pluck();
  const workspaceExists = db.prepare('SELECT 1 FROM workspace WHERE id = ?').pluck();
  const insertWorkspace = db.prepare(
    'INSERT INTO workspace (id, name, created_ms, live_granted) VALUES (?, ?, ?, ?)',
  );
  const setGrant = db.prepare('UPDATE workspace SET live_granted = ? WHERE id = ?');
  const insertKey = db.prepare(
    `INSERT INTO api_key (${NEW_KEY_COLUMNS.join(', ')}) VALUES (${NEW_KEY_COLUMNS.map(() => '?').join(', ')})`,
  );
  const readKey = db.prepare('SELECT * FROM api_key WHERE workspace = ? AND id = ?');
  const unrevoked = db
    .prepare('SELECT count(*) FROM api_key WHERE workspace = ? AND revoked_ms IS NULL')
    .pluck();
  const otherLastingOwners = db
    .prepare(
      `SELECT count(*) FROM api_key
       WHERE workspace = ? AND kind = 'owner' AND revoked_ms IS NULL AND expires_ms IS NULL AND id <> ?`,
    )
    .pluck();
  const setRevoked = db.prepare('UPDATE api_key SET revoked_ms = ?, revoked_by = ? WHERE id = ?');
  const revokeStanding = db.prepare(
    'INSERT INTO revoked_attestation VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const setRotated = db.prepare('UPDATE api_key SET expires_ms = ?, rotated_ms = ? WHERE id = ?');
  const setLastUsed = db.prepare(
    'UPDATE api_key SET last_used_ms = @atMs WHERE id = @keyId AND coalesce(last_used_ms, 0) < @atMs',
  );

  const insert = (workspace: string, key: NewKey, rotatedFrom: string | null = null): StoredKey => {
    const { values, stored } = newKeyRow(workspace, key, rotatedFrom);
    insertKey.run(...values);
    return stored;
  };
  const isFull = (workspace: string): boolean => (unrevoked.get(workspace) as number) >= UNREVOKED_KEYS_MAX;

  return {
    createWorkspace(
      workspace: Workspace,
      keys: readonly NewKey[],
      onlyIfNone: boolean,
    ): { readonly kind: 'created' } | { readonly kind: 'exists' } {
      if (onlyIfNone && anyWorkspace.get() !== undefined) return { kind: 'exists' };
      if (workspaceExists.get(workspace.id) !== undefined) return { kind: 'exists' };
      insertWorkspace.run(workspace.id, workspace.name, workspace.createdAtMs, workspace.liveGranted ? 1 : 0);
      for (const key of keys) insert(workspace.id, key);
      return { kind: 'created' };
    },

    grantLive(workspace: string, granted: boolean): boolean {
      return setGrant.run(granted ? 1 : 0, workspace).changes === 1;
    },

    createKey(workspace: string, key: NewKey): CreateKeyOutcome {
      if (workspaceExists.get(workspace) === undefined) return { kind: 'no_such_workspace' };
      if (isFull(workspace)) return { kind: 'too_many_keys' };
      return { kind: 'created', key: insert(workspace, key) };
    },

    revokeKey(
      workspace: string,
      keyId: string,
      nowMs: number,
      by: KeyRevoker | null = null,
    ): RevokeKeyOutcome {
      const row = readKey.get(workspace, keyId) as KeyRow | undefined;
      if (row === undefined) return { kind: 'not_found' };
      if (row.revoked_ms !== null) return { kind: 'revoked', revokedAtMs: row.revoked_ms };
      const lasting = row.kind === 'owner' && row.expires_ms === null;
      if (lasting && otherLastingOwners.get(workspace, keyId) === 0) return { kind: 'last_owner_key' };
      setRevoked.run(nowMs, by === null ? null : JSON.stringify(by), keyId);
      if (row.kind === 'owner') {
        const { source, jti } = standingOf({ id: keyId, epoch: KEY_EPOCH });
        revokeStanding.run(workspace, source, jti, nowMs);
      }
      noteChange('key', workspace, keyId);
      return { kind: 'revoked', revokedAtMs: nowMs };
    },

    rotateKey(rotation: Rotation): RotateKeyOutcome {
      const { workspace, keyId, nowMs, oldExpiresAtMs, replacement } = rotation;
      const row = readKey.get(workspace, keyId) as KeyRow | undefined;
      if (row === undefined) return { kind: 'not_found' };
      const because = inactiveBecause(row, nowMs);
      if (because !== null) return { kind: 'not_active', because };
      if (isFull(workspace)) return { kind: 'too_many_keys' };
      // INVARIANT: the new key takes over the old one's expiry before the old one gets another, so a lasting owner
      // key always remains.
      const like = { ...storedKey(row), ...replacement, createdAtMs: nowMs };
      const key = insert(workspace, like, keyId);
      setRotated.run(Math.min(row.expires_ms ?? oldExpiresAtMs, oldExpiresAtMs), nowMs, keyId);
      noteChange('key', workspace, keyId);
      return { kind: 'rotated', key };
    },

    touchKeys(uses: readonly { readonly keyId: string; readonly atMs: number }[]): void {
      for (const { keyId, atMs } of uses) setLastUsed.run({ atMs, keyId });
    },
  };
}
