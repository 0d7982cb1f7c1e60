/** What an operator does to a workspace: suspends, resumes, deletes it, or grants it live keys. */
import { isoTime } from '@writecheck/contract';
import type { ResourceChangeEntry } from '@writecheck/ledger/log';
import { notedEntries } from '../commit/new-entries.ts';
import type { WorkspaceState } from '../port/keys.ts';
import type { StateChange, StateOutcome } from '../port/workspaces.ts';
import { type Append, append, holdLogs, hurry, noteChange, type Read, sql, type Write } from './operation.ts';

const KINDS = {
  active: 'workspace.resumed',
  suspended: 'workspace.suspended',
  deleted: 'workspace.deleted',
} as const satisfies { readonly [state in WorkspaceState]: ResourceChangeEntry['kind'] };

interface StateRow {
  readonly state: WorkspaceState;
  readonly live_granted: number | boolean;
}

/**
 * Once it resolves, no commit, redemption or change in any process succeeds for a workspace that is not active.
 *
 * INVARIANT: it holds the row, which every change and report of the workspace holds too, then every open log: each
 * commit ends before it or reads the new state after it.
 */
export function* changeWorkspaceState(change: StateChange, to: WorkspaceState): Append<StateOutcome> {
  const { workspace } = change;
  yield* hurry();
  const row = yield* held(workspace);
  if (row === undefined || (row.state === 'deleted' && to !== 'deleted'))
    return { kind: 'no_such_workspace' };
  if (row.state === to) return { kind: 'unchanged' };
  const atMs = Math.max(change.atMs, yield* holdLogs('all'));
  yield* sql`UPDATE writecheck.workspace SET state = ${to} WHERE id = ${workspace}`;
  yield* note(KINDS[to], change, atMs);
  return { kind: 'changed', atMs };
}

/** The workspace may create live keys, and has no ceilings any more. */
export function* grantLive(change: StateChange): Append<StateOutcome> {
  const { workspace } = change;
  const row = yield* held(workspace);
  if (row === undefined || row.state === 'deleted') return { kind: 'no_such_workspace' };
  if (row.live_granted) return { kind: 'unchanged' };
  const atMs = Math.max(change.atMs, yield* holdLogs('own'));
  yield* sql`UPDATE writecheck.workspace SET live_granted = true WHERE id = ${workspace}`;
  yield* note('workspace.granted', change, atMs);
  return { kind: 'changed', atMs };
}

function* held(workspace: string): Read<StateRow | undefined> {
  const [row] = yield* sql<StateRow>`SELECT state, live_granted FROM writecheck.workspace
    WHERE id = ${workspace} FOR UPDATE`;
  return row;
}

function* note(
  kind: ResourceChangeEntry['kind'] & `workspace.${string}`,
  { workspace, by }: StateChange,
  atMs: number,
): Append<void> {
  yield* noteChange('workspace', workspace, '');
  const timestamp = isoTime(atMs);
  yield* append((log) => notedEntries(log, [{ kind, workspace, timestamp, by }]));
}

/** The last step of an erasure: nothing names the workspace any more but its id. */
export function* forgetWorkspaceName(workspace: string): Write<void> {
  yield* sql`UPDATE writecheck.workspace SET name = '' WHERE id = ${workspace} AND state = 'deleted'`;
}
