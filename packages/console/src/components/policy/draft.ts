/** The bundle being edited; it survives moving between pages, but not closing the tab. */
import { createStore } from '../../state/store.ts';

export interface Draft {
  readonly workspace: string;
  readonly text: string;
  /** The live bundle when editing began, or the one last applied. Applying never replaces a newer one. */
  readonly basedOn: { readonly revision: number; readonly digest: string | null };
  /** Whether it has unsaved edits. */
  readonly isEdited: boolean;
}

export const draft = createStore<Draft | null>(null);

/** Whether another revision went live since. A bundle just applied may be newer than the one loaded. */
export function isOutdated({ basedOn }: Draft, running: Draft['basedOn']): boolean {
  return running.revision > basedOn.revision && running.digest !== basedOn.digest;
}

// Warn before unsaved edits are lost.
window.addEventListener('beforeunload', (event) => {
  if (draft.get()?.isEdited) event.preventDefault();
});
