/** Workspaces, each created with its first keys. */
import { isoTime } from '@writecheck/contract';
import { notedEntries } from '../commit/new-entries.ts';
import type { Acting } from '../port/acting.ts';
import {
  type NewKey,
  type NewWorkspace,
  type Owner,
  RENAMES_MAX,
  type Rename,
  type Workspace,
} from '../port/keys.ts';
import { begin } from './acting.ts';
import { insertKey } from './keys.ts';
import { flag, json, mapping } from './mapping.ts';
import { type Append, alone, append, insertion, type Read, sql, type Write } from './operation.ts';

export const TABLES = `
CREATE TABLE writecheck.workspace (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  name text NOT NULL,
  created_ms bigint NOT NULL,
  live_granted boolean NOT NULL,
  -- Whether a stranger created it, through sign-up.
  signed_up boolean NOT NULL,
  -- 'active', 'suspended' or 'deleted'. Of a deleted one only this row stays, whose name is empty once the last of its data is erased.
  state text NOT NULL
);
CREATE INDEX workspace_inactive ON writecheck.workspace (id) WHERE state <> 'active';

CREATE TABLE writecheck.rename (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace text NOT NULL,
  name text NOT NULL,
  at_ms bigint NOT NULL,
  -- A JSON text.
  by text NOT NULL
);
CREATE INDEX rename_by_workspace ON writecheck.rename (workspace, number);
`;

const WORKSPACE = mapping<Workspace>({
  id: 'id',
  name: 'name',
  createdAtMs: 'created_ms',
  state: 'state',
  signedUp: flag('signed_up'),
  liveGranted: flag('live_granted'),
});

const RENAME = mapping<Rename>({ name: 'name', atMs: 'at_ms', by: json('by') });

export function* findWorkspace(id: string): Read<Workspace | null> {
  const [row] = yield* sql<object>`SELECT * FROM writecheck.workspace WHERE id = ${id}`;
  return row === undefined ? null : WORKSPACE.storedOf(row);
}

/** Oldest first, without deleted ones; `limit` keeps it cheap to find out whether there is one, or several. */
export function* listWorkspaces(limit = Number.MAX_SAFE_INTEGER): Read<readonly Workspace[]> {
  const rows = yield* sql<object>`SELECT * FROM writecheck.workspace
    WHERE state <> 'deleted' ORDER BY number LIMIT ${limit}`;
  return rows.map(WORKSPACE.storedOf);
}

/** The one that was created first, whatever became of it. */
export function* firstWorkspace(): Read<Workspace | null> {
  const [row] = yield* sql<object>`SELECT * FROM writecheck.workspace ORDER BY number LIMIT 1`;
  return row === undefined ? null : WORKSPACE.storedOf(row);
}

/**
 * Creates a workspace with its first keys, all or nothing. The log has no entry for this; it names a key once
 * it is used. With `onlyIfNone`, only if the store holds no workspace, even if other processes start at the
 * same moment.
 */
export function* createWorkspace(
  workspace: NewWorkspace,
  keys: readonly NewKey[],
  options?: { readonly onlyIfNone?: boolean },
): Write<{ readonly kind: 'created' } | { readonly kind: 'exists' }> {
  if (options?.onlyIfNone === true) {
    // If several processes start together, one creates the first workspace and the others see it.
    yield* alone('first workspace');
    if ((yield* sql`SELECT 1 FROM writecheck.workspace LIMIT 1`).length > 0) return { kind: 'exists' };
  }
  const row = WORKSPACE.rowOf({ signedUp: false, ...workspace, state: 'active' });
  const made =
    yield* sql`INSERT INTO writecheck.workspace ${insertion(row)} ON CONFLICT DO NOTHING RETURNING 1`;
  if (made.length === 0) return { kind: 'exists' };
  for (const key of keys) yield* insertKey(workspace.id, key, null);
  return { kind: 'created' };
}

/** Oldest first. */
export function* listRenames(workspace: string): Read<readonly Rename[]> {
  const rows =
    yield* sql<object>`SELECT * FROM writecheck.rename WHERE workspace = ${workspace} ORDER BY number`;
  return rows.map(RENAME.storedOf);
}

/** Its current name changes nothing. False if there is no such workspace; rejects with `ActingEnded` like other changes. */
export function* renameWorkspace(
  workspace: string,
  name: string,
  by: Acting & Owner,
  nowMs: number,
): Append<boolean> {
  if (!(yield* begin(workspace, by, nowMs))) return false;
  const changed = yield* sql`UPDATE writecheck.workspace SET name = ${name}
    WHERE id = ${workspace} AND name <> ${name} RETURNING 1`;
  if (changed.length === 0) return true;
  const row = { workspace, ...RENAME.rowOf({ name, atMs: nowMs, by: { kind: by.kind, id: by.id } }) };
  yield* sql`INSERT INTO writecheck.rename ${insertion(row)}`;
  yield* sql`DELETE FROM writecheck.rename WHERE workspace = ${workspace} AND number NOT IN
    (SELECT number FROM writecheck.rename WHERE workspace = ${workspace} ORDER BY number DESC LIMIT ${RENAMES_MAX})`;
  const timestamp = isoTime(nowMs);
  yield* append((log) => notedEntries(log, [{ kind: 'workspace.renamed', workspace, timestamp, by }]));
  return true;
}
