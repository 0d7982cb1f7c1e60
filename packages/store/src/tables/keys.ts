/** The keys of workspaces. */
import type { KeyEntry } from '@writecheck/ledger/log';
import { notedEntries } from '../commit/new-entries.ts';
import type { Acting } from '../port/acting.ts';
import {
  type CreateKeyOutcome,
  type FoundKey,
  type NewKey,
  type Owner,
  type RevokeKeyOutcome,
  type RotateKeyOutcome,
  type Rotation,
  type StoredKey,
  UNREVOKED_KEYS_MAX,
} from '../port/keys.ts';
import { KEY_EPOCH, standingName } from '../port/people.ts';
import { begin } from './acting.ts';
import { revoke } from './evidence.ts';
import { json, mapping } from './mapping.ts';
import {
  type Append,
  append,
  insertion,
  list,
  noteChange,
  part,
  type Read,
  separated,
  sql,
  type Write,
} from './operation.ts';
import { STANDING, type StandingRow, standingOf } from './standing.ts';

export const KEY_TABLE = `
CREATE TABLE writecheck.api_key (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  workspace text NOT NULL REFERENCES writecheck.workspace (id),
  kind text NOT NULL CHECK (kind IN ('development', 'live', 'owner', 'service')),
  name text NOT NULL,
  hash text NOT NULL UNIQUE,
  hint text NOT NULL,
  created_ms bigint NOT NULL,
  expires_ms bigint,
  last_used_ms bigint,
  revoked_ms bigint,
  -- The person or key who revoked it, as JSON.
  revoked_by text,
  -- Set once a rotation has replaced it: a key whose expiry is only its grace period must not be rotated again.
  rotated_ms bigint,
  -- The key that it replaced, whose reviews it sees too; lineage is the first key of the chain.
  rotated_from text,
  lineage text,
  held_by text,
  made_by text,
  -- The roles of a service key, as JSON.
  roles text,
  allowed_systems text,
  allowed_workflows text
);
CREATE INDEX api_key_by_workspace ON writecheck.api_key (workspace);
`;

const KEY = mapping<Omit<StoredKey, 'revokedBy' | 'lineage' | 'isHolderDisabled'>>({
  id: 'id',
  workspace: 'workspace',
  kind: 'kind',
  name: 'name',
  hash: 'hash',
  hint: 'hint',
  createdAtMs: 'created_ms',
  expiresAtMs: 'expires_ms',
  lastUsedAtMs: 'last_used_ms',
  revokedAtMs: 'revoked_ms',
  rotatedAtMs: 'rotated_ms',
  rotatedFrom: 'rotated_from',
  heldBy: 'held_by',
  madeBy: 'made_by',
  allowedSystems: json('allowed_systems'),
  allowedWorkflows: json('allowed_workflows'),
  roles: json('roles'),
});

/** Members that are not read as stored. */
interface FoundKeyRow {
  readonly id: string;
  readonly revoked_by: string | null;
  /** Null for a key that replaced none. */
  readonly lineage: string | null;
  /** The state of the person who holds it. */
  readonly holder_state: string | null;
}

/** INVARIANT: only a disabled holder refuses a key, not one who does not exist. */
const FOUND = part`k.*, (SELECT p.state FROM writecheck.person AS p WHERE p.id = k.held_by) AS holder_state`;

function storedKey(row: FoundKeyRow): StoredKey {
  return {
    ...KEY.storedOf(row),
    revokedBy: row.revoked_by === null ? null : (JSON.parse(row.revoked_by) as Owner),
    lineage: row.lineage ?? row.id,
    isHolderDisabled: row.holder_state === 'disabled',
  };
}

/** Why a key cannot be rotated; null if it can. */
function inactiveBecause(key: StoredKey, nowMs: number): 'rotated' | 'expired' | 'revoked' | null {
  if (key.revokedAtMs !== null) return 'revoked';
  if (key.rotatedAtMs !== null) return 'rotated';
  return key.expiresAtMs !== null && key.expiresAtMs <= nowMs ? 'expired' : null;
}

/** Finds revoked and expired keys too: the caller decides which 401 it is. */
export function* findKey(hash: string): Read<FoundKey | null> {
  const [row] = yield* sql<
    FoundKeyRow & StandingRow
  >`SELECT ${FOUND}, ${STANDING} FROM writecheck.api_key AS k
    JOIN writecheck.workspace AS w ON w.id = k.workspace WHERE k.hash = ${hash}`;
  return row === undefined ? null : { ...storedKey(row), standing: standingOf(row) };
}

/** All keys of a workspace, oldest first, including revoked ones. */
export function* listKeys(workspace: string): Read<readonly StoredKey[]> {
  const rows =
    yield* sql<FoundKeyRow>`SELECT ${FOUND} FROM writecheck.api_key AS k WHERE k.workspace = ${workspace} ORDER BY k.number`;
  return rows.map(storedKey);
}

/** Changes of keys reject with `ActingEnded` if their author may no longer make them. */
export function* createKey(workspace: string, key: NewKey, by: Acting): Append<CreateKeyOutcome> {
  if (!(yield* begin(workspace, by, key.createdAtMs))) return { kind: 'no_such_workspace' };
  if (yield* isFull(workspace)) return { kind: 'too_many_keys' };
  const created = yield* insertKey(workspace, key, null);
  yield* noteKey('key.created', workspace, key, by, key.createdAtMs);
  return { kind: 'created', key: created };
}

export function* revokeKey(
  workspace: string,
  keyId: string,
  nowMs: number,
  by: Acting,
): Append<RevokeKeyOutcome> {
  yield* begin(workspace, by, nowMs, true);
  const key = yield* keyOf(workspace, keyId);
  if (key === null) return { kind: 'not_found' };
  if (key.revokedAtMs !== null) return { kind: 'revoked' };
  if (key.kind === 'owner' && key.expiresAtMs === null) {
    const owners = yield* lastingOwners(workspace);
    if (!owners.some(({ id, isHolderDisabled }) => id !== keyId && !isHolderDisabled))
      return { kind: 'last_owner_key' };
  }
  yield* sql`UPDATE writecheck.api_key SET revoked_ms = ${nowMs}, revoked_by = ${revokerOf(by)} WHERE id = ${keyId}`;
  if (key.kind === 'owner') yield* endApprovals(workspace, key, nowMs);
  yield* noteChange('key', workspace, keyId);
  yield* noteKey('key.revoked', workspace, key, by, nowMs);
  return { kind: 'revoked' };
}

/** The approvals that a key gave before its rotation end with its replacement. */
function* endApprovals(workspace: string, { id, rotatedFrom }: StoredKey, nowMs: number): Write<void> {
  yield* revoke(workspace, standingName({ id, epoch: KEY_EPOCH }), nowMs);
  const earlier = rotatedFrom === null ? null : yield* keyOf(workspace, rotatedFrom);
  if (earlier !== null) yield* endApprovals(workspace, earlier, nowMs);
}

export function* rotateKey(rotation: Rotation): Append<RotateKeyOutcome> {
  const { workspace, keyId, nowMs, oldExpiresAtMs, replacement, by } = rotation;
  yield* begin(workspace, by, nowMs);
  const old = yield* keyOf(workspace, keyId);
  if (old === null) return { kind: 'not_found' };
  const because = inactiveBecause(old, nowMs);
  if (because !== null) return { kind: 'not_active', because };
  if (yield* isFull(workspace)) return { kind: 'too_many_keys' };
  // INVARIANT: the new key takes over the old one's expiry before the old one gets another, so a lasting owner key
  // always remains.
  const key = yield* insertKey(workspace, { ...old, ...replacement, createdAtMs: nowMs }, old);
  const expiresMs = Math.min(old.expiresAtMs ?? oldExpiresAtMs, oldExpiresAtMs);
  yield* sql`UPDATE writecheck.api_key SET expires_ms = ${expiresMs}, rotated_ms = ${nowMs} WHERE id = ${keyId}`;
  yield* noteChange('key', workspace, keyId);
  yield* noteKey('key.rotated', workspace, old, by, nowMs, { replacement: key.id });
  return { kind: 'rotated', key };
}

/** Records last uses, many at a time and off the hot path; a time earlier than the stored one is ignored. */
export function* touchKeys(uses: readonly { readonly keyId: string; readonly atMs: number }[]): Write<void> {
  if (uses.length === 0) return;
  const used = new Map<string, number>();
  for (const { keyId, atMs } of uses) used.set(keyId, Math.max(atMs, used.get(keyId) ?? 0));
  // Locked in one order, because other processes touch the same keys.
  yield* sql`SELECT 1 FROM writecheck.api_key WHERE id IN (${list([...used.keys()])}) ORDER BY id FOR NO KEY UPDATE`;
  const rows = separated([...used].map(([id, atMs]) => part`(${id}::text, ${atMs}::bigint)`));
  yield* sql`WITH used (id, at_ms) AS (VALUES ${rows})
    UPDATE writecheck.api_key AS k SET last_used_ms = used.at_ms FROM used
    WHERE k.id = used.id AND coalesce(k.last_used_ms, 0) < used.at_ms`;
}

function* keyOf(workspace: string, keyId: string): Read<StoredKey | null> {
  const [row] =
    yield* sql<FoundKeyRow>`SELECT ${FOUND} FROM writecheck.api_key AS k WHERE k.workspace = ${workspace} AND k.id = ${keyId}`;
  return row === undefined ? null : storedKey(row);
}

function* isFull(workspace: string): Read<boolean> {
  const unrevoked =
    yield* sql`SELECT 1 FROM writecheck.api_key WHERE workspace = ${workspace} AND revoked_ms IS NULL`;
  return unrevoked.length >= UNREVOKED_KEYS_MAX;
}

/** The owner keys that are neither revoked nor due to expire. One with a disabled holder does not count. */
export function* lastingOwners(workspace: string): Read<readonly StoredKey[]> {
  const rows =
    yield* sql<FoundKeyRow>`SELECT ${FOUND} FROM writecheck.api_key AS k WHERE k.workspace = ${workspace}
    AND k.kind = 'owner' AND k.revoked_ms IS NULL AND k.expires_ms IS NULL`;
  return rows.map(storedKey);
}

/** A replacement inherits every member that is not given. */
export function* insertKey(workspace: string, key: NewKey, old: StoredKey | null): Write<StoredKey> {
  const { roles = null, heldBy = null, madeBy = null } = key;
  const since = { lastUsedAtMs: null, revokedAtMs: null, rotatedAtMs: null, rotatedFrom: old?.id ?? null };
  const row = {
    ...KEY.rowOf({ ...key, workspace, roles, heldBy, madeBy, ...since }),
    id: key.id,
    lineage: old?.lineage ?? null,
    revoked_by: null,
  };
  yield* sql`INSERT INTO writecheck.api_key ${insertion(row)}`;
  return { ...storedKey({ ...row, holder_state: null }), isHolderDisabled: old?.isHolderDisabled ?? false };
}

/** INVARIANT: the entry names the key, never its secret or its hash. */
function* noteKey(
  kind: KeyEntry['kind'],
  workspace: string,
  { id: key, kind: keyKind, roles }: Pick<NewKey, 'id' | 'kind' | 'roles'>,
  by: Acting,
  atMs: number,
  more: Partial<Pick<KeyEntry, 'replacement'>> = {},
): Append<void> {
  const timestamp = new Date(atMs).toISOString();
  const own = { kind, workspace, timestamp, by, key, keyKind, ...(roles ? { roles } : {}), ...more };
  yield* append((log) => notedEntries(log, [own]));
}

/** The revoker of a key, as stored. */
function revokerOf({ kind, id }: Acting): string | null {
  const isNamed = kind === 'person' || kind === 'owner_key';
  return isNamed ? JSON.stringify({ kind, id } satisfies Owner) : null;
}
