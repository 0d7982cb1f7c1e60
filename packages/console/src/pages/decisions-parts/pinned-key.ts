/** A verifier key that the user got from elsewhere and pinned in this browser. */
import { createStore } from '../../state/store.ts';

const STORED_AS = 'writecheck.verifier-key';

export const pinnedKey = createStore<string | null>(restore());

export function pinKey(line: string | null): void {
  pinnedKey.set(line);
  try {
    if (line === null) localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, line);
  } catch {
    // Without storage the pin lasts until the page closes.
  }
}

function restore(): string | null {
  try {
    return localStorage.getItem(STORED_AS);
  } catch {
    return null;
  }
}
