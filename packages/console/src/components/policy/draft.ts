/** The bundle being edited; it survives moving between pages, but not closing the tab. */
import { createStore } from '../../state/store.ts';

export interface Draft {
  readonly workspace: string;
  readonly text: string;
  /** The live bundle when editing began, or the one last applied. Applying never replaces a newer one. */
  readonly basedOn: { readonly revision: number; readonly digest: string | null };
  /** Whether it has unsaved edits. */
  readonly isEdited: boolean;
  /** Why it changes, for the revision. */
  readonly said?: Said | undefined;
  /** The edits that were just discarded; the next edit forgets them. */
  readonly discarded?: Pick<Draft, 'text' | 'basedOn' | 'said'> | null;
}

interface Said {
  readonly text: string;
  /** The bundle that somebody else gave this reason for; absent for the user's own words. */
  readonly of?: string | undefined;
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

/** INVARIANT: the log never records a handed-over reason for another text than the one it came with. */
export function reasonOf({ said, text }: Pick<Draft, 'said' | 'text'>): string {
  return said === undefined || (said.of !== undefined && said.of !== text) ? '' : said.text;
}

/** Whether another revision went live since. A bundle just applied may be newer than the one loaded. */
export function isOutdated({ basedOn }: Draft, running: Draft['basedOn']): boolean {
  return running.revision > basedOn.revision && running.digest !== basedOn.digest;
}

// Warn before unsaved edits are lost.
window.addEventListener('beforeunload', (event) => {
  if (draft.get()?.isEdited) event.preventDefault();
});
