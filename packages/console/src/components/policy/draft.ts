/** The bundle being edited; it survives moving between pages, but not closing the tab. */
import { createStore } from '../../state/store.ts';

export interface Draft {
  readonly workspace: string;
  readonly text: string;
  /** The live bundle when editing began, or the one last applied. Applying never replaces a newer one. */
  readonly basedOn: { readonly revision: number; readonly digest: string | null };
  /** Whether it has unsaved edits. */
  readonly isEdited: boolean;
  /** The edits that were just discarded; the next edit forgets them. */
  readonly discarded?: Pick<Draft, 'text' | 'basedOn'> | null;
}

export const draft = createStore<Draft | null>(null);

/** The draft after a user's edit. */
export function edited(own: Draft, text: string): Draft {
  return { ...own, text, isEdited: true, discarded: null };
}

/** The draft with the discarded edits back, and what they were based on: a newer revision stays a newer one. */
export function undiscarded({ discarded, ...own }: Draft): Draft {
  return discarded == null ? own : { ...own, ...discarded, isEdited: true };
}

/** Whether another revision went live since. A bundle just applied may be newer than the one loaded. */
export function isOutdated({ basedOn }: Draft, running: Draft['basedOn']): boolean {
  return running.revision > basedOn.revision && running.digest !== basedOn.digest;
}

// Warn before unsaved edits are lost.
window.addEventListener('beforeunload', (event) => {
  if (draft.get()?.isEdited) event.preventDefault();
});
