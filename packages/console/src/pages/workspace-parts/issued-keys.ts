/** Secrets of keys that were made or rotated in this tab: each stays until somebody says that it is kept, wherever they go meanwhile. */

import { session } from '../../state/session.ts';
import { createStore, useStore } from '../../state/store.ts';
import type { IssuedKey } from './keys-api.ts';

export interface ShownOnce extends IssuedKey {
  readonly workspace: string;
  /** Whether this session goes on with it. */
  readonly isOwn: boolean;
}

const issuedKeys = createStore<readonly ShownOnce[]>([]);
export function useIssuedKeys(): readonly ShownOnce[] {
  return useStore(issuedKeys);
}

/** INVARIANT: no secret of a workspace that nobody is signed in to; an answer may come after they signed out. */
export function showUntilKept(issued: ShownOnce): void {
  if (session.get()?.workspace.id === issued.workspace) issuedKeys.set([issued, ...issuedKeys.get()]);
}

export function noteKept(issued: ShownOnce): void {
  issuedKeys.set(issuedKeys.get().filter((each) => each !== issued));
}

session.subscribe(() => {
  const workspace = session.get()?.workspace.id;
  if (issuedKeys.get().some((each) => each.workspace !== workspace))
    issuedKeys.set(issuedKeys.get().filter((each) => each.workspace === workspace));
});

// A reload would lose them for good.
window.addEventListener('beforeunload', (event) => {
  if (issuedKeys.get().length > 0) event.preventDefault();
});
