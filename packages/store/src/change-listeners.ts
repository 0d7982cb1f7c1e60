/** Holds the listeners that follow the changes of a store, and notifies them after each poll. */
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

  /** `atMs` is when the poll began: it may have missed a later change. */
  tell(changes: readonly Change[], atMs: number): void {
    for (const { changed, unchanged } of this.#listeners) {
      for (const change of changes) changed(change);
      if (changes.length === 0) unchanged?.(atMs);
    }
  }
}
