/** Who follows the changes of a store, and what one look at their trail means to them. */
import type { Change, Store } from './port.ts';

interface Listener {
  readonly changed: (change: Change) => void;
  readonly unchanged: ((atMs: number) => void) | undefined;
}

export class ChangeListeners {
  readonly #listeners = new Set<Listener>();

  readonly watch: Store['watch'] = (changed, unchanged) => {
    const listener: Listener = { changed, unchanged };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** `atMs` is when the look began: a change made later may have escaped it. */
  tell(changes: readonly Change[], atMs: number): void {
    for (const { changed, unchanged } of this.#listeners) {
      for (const change of changes) changed(change);
      if (changes.length === 0) unchanged?.(atMs);
    }
  }
}
