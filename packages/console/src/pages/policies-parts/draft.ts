/** The bundle somebody is writing: it stays while they look at other pages of the console, and goes with the tab. */
import { createStore } from '../../state/store.ts';

export interface Draft {
  readonly workspace: string;
  readonly text: string;
  /** What ran when the writing began, or what was made of it: applying replaces that and nothing newer. */
  readonly basedOn: { readonly revision: number; readonly digest: string | null };
  /** Whether there is something in it that is nowhere else. */
  readonly isEdited: boolean;
}

export const draft = createStore<Draft | null>(null);

/** Whether something else runs by now. One that was just applied may be newer than what was loaded. */
export function isOutdated({ basedOn }: Draft, running: Draft['basedOn']): boolean {
  return running.revision > basedOn.revision && running.digest !== basedOn.digest;
}

// Nobody else has what was typed.
window.addEventListener('beforeunload', (event) => {
  if (draft.get()?.isEdited) event.preventDefault();
});
