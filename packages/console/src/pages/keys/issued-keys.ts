/** Secrets of keys created or rotated in this tab, shown until the user confirms each is saved. */
import type { IssuedKey } from '@writecheck/api';
import { session } from '../../state/session.ts';
import { createStore } from '../../state/store.ts';

interface Unsaved extends IssuedKey {
  readonly workspace: string;
  /** Whether this session now uses it. */
  readonly isOwn: boolean;
}

export const issuedKeys = createStore<readonly Unsaved[]>([]);

/** INVARIANT: shows no secret after sign-out; a response may arrive later. */
export function showUntilKept(issued: Unsaved): void {
  if (session.get()?.workspace.id === issued.workspace) issuedKeys.set([issued, ...issuedKeys.get()]);
}

export function noteKept(issued: Unsaved): void {
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
