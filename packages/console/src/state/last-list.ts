/** The list that the user came from, with its filters and page, for the way back from one entry. */
import { createStore, useStore } from './store.ts';

export interface LastList {
  readonly name: string;
  /** For a link, with the query. */
  readonly href: string;
}

const lastList = createStore<LastList | null>(null);

// Only the list directly before an entry leads back; from one entry to the next it stays.
window.addEventListener('hashchange', () => {
  if (!/^#\/(?:decisions|reviews)\/[a-z]+_/.test(window.location.hash)) lastList.set(null);
});

export function noteList(name: string): void {
  lastList.set({ name, href: window.location.hash });
}

export function useLastList(): LastList | null {
  return useStore(lastList);
}
