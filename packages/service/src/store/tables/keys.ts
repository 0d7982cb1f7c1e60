/** Workspaces and their keys. */
import { KEY_EPOCH, standingOf } from '../port/people.ts';
import type { ChangedKey } from '../port/webhooks.ts';
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
import { revoke } from './evidence.ts';
import {
  alone,
  insertion,
  list,
  noteChange,
  part,
  type Read,
  separated,
  sql,
  type Write,
} from './operation.ts';

interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  readonly created_ms: number;
  readonly live_granted: number | boolean;
}

function workspaceOf(row: WorkspaceRow): Workspace {
  return {
    id: row.id,
    name: row.name,
    createdAtMs: row.created_ms,
    liveGranted: Boolean(row.live_granted),
  };
}

interface KeyRow {
  readonly id: string;
  readonly workspace: string;
  readonly kind: StoredKey['kind'];
  readonly name: string;
  readonly hash: string;
  readonly hint: string;
  readonly created_ms: number;
  readonly expires_ms: number | null;
  readonly last_used_ms: number | null;
  readonly revoked_ms: number | null;
  readonly rotated_ms: number | null;
  readonly rotated_from: string | null;
  readonly held_by: string | null;
  readonly made_by: string | null;
  readonly revoked_by: string | null;
  readonly allowed_systems: string | null;
  readonly allowed_workflows: string | null;
}

function storedKey(row: KeyRow): StoredKey {
  return {
    id: row.id,
    workspace: row.workspace,
    kind: row.kind,
    name: row.name,
    hash: row.hash,
    hint: row.hint,
    createdAtMs: row.created_ms,
    expiresAtMs: row.expires_ms,
    lastUsedAtMs: row.last_used_ms,
    revokedAtMs: row.revoked_ms,
    rotatedAtMs: row.rotated_ms,
    rotatedFrom: row.rotated_from,
    heldBy: row.held_by,
    madeBy: row.made_by,
    revokedBy: row.revoked_by === null ? null : (JSON.parse(row.revoked_by) as KeyRevoker),
    allowedSystems: listOf(row.allowed_systems),
    allowedWorkflows: listOf(row.allowed_workflows),
  };
}

function listOf(json: string | null): readonly string[] | null {
  return json === null ? null : (JSON.parse(json) as readonly string[]);
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Why a key cannot be rotated; null if it can. */
function inactiveBecause(key: StoredKey, nowMs: number): 'rotated' | 'expired' | 'revoked' | null {
  if (key.revokedAtMs !== null) return 'revoked';
  if (key.rotatedAtMs !== null) return 'rotated';
  return key.expiresAtMs !== null && key.expiresAtMs <= nowMs ? 'expired' : null;
}

/**
 * Anything that counts or changes the keys, policies or webhooks of a workspace waits here for its turn; false if
 * there is no such workspace.
 */
export function* lockWorkspace(id: string): Read<boolean> {
  const found = yield* sql`SELECT 1 FROM writecheck.workspace WHERE id = ${id} FOR NO KEY UPDATE`;
  return found.length > 0;
}

export function* findWorkspace(id: string): Read<Workspace | null> {
  const [row] = yield* sql<WorkspaceRow>`SELECT * FROM writecheck.workspace WHERE id = ${id}`;
  return row === undefined ? null : workspaceOf(row);
}

export function* listWorkspaces(limit: number): Read<readonly Workspace[]> {
  const rows = yield* sql<WorkspaceRow>`SELECT * FROM writecheck.workspace ORDER BY number LIMIT ${limit}`;
  return rows.map(workspaceOf);
}

export function* createWorkspace(
  workspace: Workspace,
  keys: readonly NewKey[],
  options?: { readonly onlyIfNone?: boolean },
): Write<{ readonly kind: 'created' } | { readonly kind: 'exists' }> {
  if (options?.onlyIfNone === true) {
    // If several processes start together, one creates the first workspace and the others see it.
    yield* alone('first workspace');
    if ((yield* sql`SELECT 1 FROM writecheck.workspace LIMIT 1`).length > 0) return { kind: 'exists' };
  }
  const { id, name, createdAtMs, liveGranted } = workspace;
  const row: WorkspaceRow = { id, name, created_ms: createdAtMs, live_granted: liveGranted };
  const made =
    yield* sql`INSERT INTO writecheck.workspace ${insertion(row)} ON CONFLICT DO NOTHING RETURNING 1`;
  if (made.length === 0) return { kind: 'exists' };
  for (const key of keys) yield* insertKey(id, key, null);
  return { kind: 'created' };
}

export function* grantLive(workspace: string, granted: boolean): Write<boolean> {
  const found =
    yield* sql`UPDATE writecheck.workspace SET live_granted = ${granted} WHERE id = ${workspace} RETURNING 1`;
  return found.length === 1;
}

export function* findKey(hash: string): Read<StoredKey | null> {
  const [row] = yield* sql<KeyRow>`SELECT * FROM writecheck.api_key WHERE hash = ${hash}`;
  return row === undefined ? null : storedKey(row);
}

export function* listKeys(workspace: string): Read<readonly StoredKey[]> {
  const rows =
    yield* sql<KeyRow>`SELECT * FROM writecheck.api_key WHERE workspace = ${workspace} ORDER BY number`;
  return rows.map(storedKey);
}

/** What webhooks report of keys. */
export function* changedKeys(workspace: string, sinceMs: number): Read<readonly ChangedKey[]> {
  return yield* sql<ChangedKey>`SELECT id, kind, name, created_ms AS "createdAtMs", revoked_ms AS "revokedAtMs"
    FROM writecheck.api_key WHERE workspace = ${workspace} AND (created_ms >= ${sinceMs} OR revoked_ms >= ${sinceMs})
    ORDER BY number`;
}

export function* createKey(workspace: string, key: NewKey): Write<CreateKeyOutcome> {
  if (!(yield* lockWorkspace(workspace))) return { kind: 'no_such_workspace' };
  if (yield* isFull(workspace)) return { kind: 'too_many_keys' };
  return { kind: 'created', key: yield* insertKey(workspace, key, null) };
}

export function* revokeKey(
  workspace: string,
  keyId: string,
  nowMs: number,
  by: KeyRevoker | null = null,
): Write<RevokeKeyOutcome> {
  yield* lockWorkspace(workspace);
  const key = yield* keyOf(workspace, keyId);
  if (key === null) return { kind: 'not_found' };
  if (key.revokedAtMs !== null) return { kind: 'revoked', revokedAtMs: key.revokedAtMs };
  const isLasting = key.kind === 'owner' && key.expiresAtMs === null;
  if (isLasting && !(yield* hasOtherLastingOwner(workspace, keyId))) return { kind: 'last_owner_key' };
  yield* sql`UPDATE writecheck.api_key SET revoked_ms = ${nowMs}, revoked_by = ${jsonOf(by)} WHERE id = ${keyId}`;
  if (key.kind === 'owner') yield* revoke(workspace, standingOf({ id: keyId, epoch: KEY_EPOCH }), nowMs);
  yield* noteChange('key', workspace, keyId);
  return { kind: 'revoked', revokedAtMs: nowMs };
}

export function* rotateKey(rotation: Rotation): Write<RotateKeyOutcome> {
  const { workspace, keyId, nowMs, oldExpiresAtMs, replacement } = rotation;
  yield* lockWorkspace(workspace);
  const old = yield* keyOf(workspace, keyId);
  if (old === null) return { kind: 'not_found' };
  const because = inactiveBecause(old, nowMs);
  if (because !== null) return { kind: 'not_active', because };
  if (yield* isFull(workspace)) return { kind: 'too_many_keys' };
  // INVARIANT: the new key takes over the old one's expiry before the old one gets another, so a lasting owner key
  // always remains.
  const key = yield* insertKey(workspace, { ...old, ...replacement, createdAtMs: nowMs }, keyId);
  const expiresMs = Math.min(old.expiresAtMs ?? oldExpiresAtMs, oldExpiresAtMs);
  yield* sql`UPDATE writecheck.api_key SET expires_ms = ${expiresMs}, rotated_ms = ${nowMs} WHERE id = ${keyId}`;
  yield* noteChange('key', workspace, keyId);
  return { kind: 'rotated', key };
}

export function* touchKeys(uses: readonly { readonly keyId: string; readonly atMs: number }[]): Write<void> {
  if (uses.length === 0) return;
  const used = new Map<string, number>();
  for (const { keyId, atMs } of uses) used.set(keyId, Math.max(atMs, used.get(keyId) ?? 0));
  // Locked in one order, since other processes touch the same keys.
  yield* sql`SELECT 1 FROM writecheck.api_key WHERE id IN (${list([...used.keys()])}) ORDER BY id FOR NO KEY UPDATE`;
  const rows = separated([...used].map(([id, atMs]) => part`(${id}::text, ${atMs}::bigint)`));
  yield* sql`WITH used (id, at_ms) AS (VALUES ${rows})
    UPDATE writecheck.api_key AS k SET last_used_ms = used.at_ms FROM used
    WHERE k.id = used.id AND coalesce(k.last_used_ms, 0) < used.at_ms`;
}

function* keyOf(workspace: string, keyId: string): Read<StoredKey | null> {
  const [row] =
    yield* sql<KeyRow>`SELECT * FROM writecheck.api_key WHERE workspace = ${workspace} AND id = ${keyId}`;
  return row === undefined ? null : storedKey(row);
}

function* isFull(workspace: string): Read<boolean> {
  const unrevoked =
    yield* sql`SELECT 1 FROM writecheck.api_key WHERE workspace = ${workspace} AND revoked_ms IS NULL`;
  return unrevoked.length >= UNREVOKED_KEYS_MAX;
}

function* hasOtherLastingOwner(workspace: string, keyId: string): Read<boolean> {
  const others = yield* sql`SELECT 1 FROM writecheck.api_key WHERE workspace = ${workspace} AND kind = 'owner'
    AND revoked_ms IS NULL AND expires_ms IS NULL AND id <> ${keyId}`;
  return others.length > 0;
}

function* insertKey(workspace: string, key: NewKey, rotatedFrom: string | null): Write<StoredKey> {
  const row: KeyRow = {
    id: key.id,
    workspace,
    kind: key.kind,
    name: key.name,
    hash: key.hash,
    hint: key.hint,
    created_ms: key.createdAtMs,
    expires_ms: key.expiresAtMs,
    last_used_ms: null,
    revoked_ms: null,
    rotated_ms: null,
    rotated_from: rotatedFrom,
    held_by: key.heldBy ?? null,
    made_by: key.madeBy ?? null,
    revoked_by: null,
    allowed_systems: jsonOf(key.allowedSystems),
    allowed_workflows: jsonOf(key.allowedWorkflows),
  };
  yield* sql`INSERT INTO writecheck.api_key ${insertion(row)}`;
  return storedKey(row);
}
