/** Creates a workspace with its two first keys. */
import type { Store, Workspace } from '@writecheck/store/port';
import { newId } from '../../support/ids/new-id.ts';
import { makeKey } from './make-key.ts';

export interface NewWorkspace {
  readonly workspace: Workspace;
  readonly ownerKey: string;
  readonly developmentKey: string;
}

export async function createWorkspace(store: Store, name: string, nowMs: number): Promise<NewWorkspace> {
  const made = await create(store, name, nowMs, false);
  if (made === null) throw new Error('a workspace with a fresh id cannot exist already');
  return made;
}

/** Null if a workspace already exists, whoever created it and however many processes start together. */
export async function createFirstWorkspace(
  store: Store,
  name: string,
  nowMs: number,
): Promise<NewWorkspace | null> {
  return create(store, name, nowMs, true);
}

async function create(
  store: Store,
  name: string,
  nowMs: number,
  onlyIfNone: boolean,
): Promise<NewWorkspace | null> {
  const workspace: Workspace = { id: newId('ws_', nowMs), name, createdAtMs: nowMs, liveGranted: false };
  const owner = makeKey({ kind: 'owner', name: 'owner' }, nowMs);
  const development = makeKey({ kind: 'development', name: 'development' }, nowMs);
  const outcome = await store.createWorkspace(workspace, [owner.row, development.row], { onlyIfNone });
  if (outcome.kind === 'exists') return null;
  return { workspace, ownerKey: owner.secret, developmentKey: development.secret };
}
