/** Creates a workspace with its two first keys. */
import type { NewWorkspace, Store } from '@writecheck/store/port';
import { newId } from '../../support/ids/new-id.ts';
import { makeKey } from './make-key.ts';

export interface CreatedWorkspace {
  readonly workspace: NewWorkspace;
  readonly ownerKey: string;
  readonly developmentKey: string;
}

/** `signedUp`: whether a stranger creates it. */
export async function createWorkspace(
  store: Store,
  name: string,
  nowMs: number,
  signedUp = false,
): Promise<CreatedWorkspace> {
  const made = await create(store, name, nowMs, { signedUp, onlyIfNone: false });
  if (made === null) throw new Error('a workspace with a fresh id cannot exist already');
  return made;
}

/** Null if a workspace already exists, whoever created it and however many processes start together. */
export async function createFirstWorkspace(
  store: Store,
  name: string,
  nowMs: number,
): Promise<CreatedWorkspace | null> {
  return create(store, name, nowMs, { signedUp: false, onlyIfNone: true });
}

async function create(
  store: Store,
  name: string,
  nowMs: number,
  { signedUp, onlyIfNone }: { readonly signedUp: boolean; readonly onlyIfNone: boolean },
): Promise<CreatedWorkspace | null> {
  const workspace: NewWorkspace = {
    id: newId('ws_', nowMs),
    name,
    createdAtMs: nowMs,
    signedUp,
    liveGranted: false,
  };
  const owner = makeKey({ kind: 'owner', name: 'owner' }, nowMs);
  const development = makeKey({ kind: 'development', name: 'development' }, nowMs);
  const outcome = await store.createWorkspace(workspace, [owner.row, development.row], { onlyIfNone });
  if (outcome.kind === 'exists') return null;
  return { workspace, ownerKey: owner.secret, developmentKey: development.secret };
}
