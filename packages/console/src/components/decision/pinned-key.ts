/** A verifier key that the user got from elsewhere and pinned in this browser. */
import { keptForever } from '../../state/kept.ts';
import { createStore } from '../../state/store.ts';

const STORED_AS = 'writecheck.verifier-key';

export const pinnedKey = createStore<string | null>(keptForever.get(STORED_AS));

export function pinKey(line: string | null): void {
  pinnedKey.set(line);
  keptForever.set(STORED_AS, line);
}
