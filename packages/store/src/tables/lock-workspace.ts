/** The lock that serializes changes of one workspace, and what a workspace that is not active may still do: nothing. */
import type { ActingOver, EndedCode } from '../port/acting.ts';
import type { WorkspaceState } from '../port/keys.ts';
import { list, type Read, sql, text, Undone } from './operation.ts';

/** Excludes workspaces that are suspended or deleted, in rows with a column `workspace`. */
export const IS_ACTIVE = text(
  "workspace NOT IN (SELECT id FROM writecheck.workspace WHERE state <> 'active')",
);

interface StateRow {
  readonly id: string;
  readonly state: WorkspaceState;
}

/**
 * Every operation that counts or changes the keys, policies or webhooks of a workspace waits here for its turn;
 * false if there is no such workspace. INVARIANT: nothing is changed in one that is not active, except by an operator.
 */
export function* lockWorkspace(id: string, isOperator = false): Read<boolean> {
  const [found] = yield* sql<StateRow>`SELECT id, state FROM writecheck.workspace
    WHERE id = ${id} FOR NO KEY UPDATE`;
  if (found !== undefined && !isOperator) requireActive(found);
  return found !== undefined;
}

/** The same for several, in one order. */
export function* lockWorkspaces(ids: readonly string[]): Read<void> {
  const rows = yield* sql<StateRow>`SELECT id, state FROM writecheck.workspace
    WHERE id IN (${list([...new Set(ids)])}) ORDER BY id FOR NO KEY UPDATE`;
  for (const row of rows) requireActive(row);
}

/**
 * Why nothing may be done for each of these workspaces; none for an active one. Until the end of the transaction they
 * keep their state, and other changes go on.
 */
export function* endedWorkspaces(ids: readonly string[]): Read<ReadonlyMap<string, EndedCode>> {
  const rows = yield* sql<StateRow>`SELECT id, state FROM writecheck.workspace
    WHERE id IN (${list([...new Set(ids)])}) ORDER BY id FOR KEY SHARE`;
  return new Map(rows.flatMap(({ id, state }) => (state === 'active' ? [] : [[id, endedBy(state)]])));
}

/**
 * The same for one, without a lock. INVARIANT: its caller holds a log, which a suspension holds before it changes the
 * workspace: taking the workspace after the log, they would wait for each other.
 */
export function* endedUnderLog(workspace: string): Read<EndedCode | null> {
  const [row] = yield* sql<StateRow>`SELECT id, state FROM writecheck.workspace WHERE id = ${workspace}`;
  const state = row?.state ?? 'deleted';
  return state === 'active' ? null : endedBy(state);
}

export function endedBy(state: Exclude<WorkspaceState, 'active'>): EndedCode {
  return state === 'suspended' ? 'workspace_suspended' : 'invalid_key';
}

function requireActive({ state }: StateRow): void {
  if (state !== 'active') throw overBecause(endedBy(state));
}

export function overBecause(code: EndedCode): Undone {
  return new Undone({ kind: 'acting_over', code } satisfies ActingOver);
}
