/** The keys of a workspace created in this tab, shown until the user confirms they are saved. */
import type { Answered } from '@writecheck/api/calls';
import { session } from './session.ts';
import { createStore } from './store.ts';

export type FirstKeys = Answered<'POST /v1/workspaces'>;

export const firstKeys = createStore<FirstKeys | null>(null);

// Signing out leaves no secret on the screen.
session.subscribe(() => {
  if (session.get()?.secret !== firstKeys.get()?.ownerKey) firstKeys.set(null);
});

// A reload would lose them for good.
window.addEventListener('beforeunload', (event) => {
  if (firstKeys.get() !== null) event.preventDefault();
});
