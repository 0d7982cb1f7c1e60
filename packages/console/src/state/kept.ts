/** Texts that the browser keeps. If it blocks storage, as some do for privacy, they last until the page closes. */

/** Until somebody clears it. */
export const keptForever = keptIn(() => localStorage);
/** Until the tab closes. */
export const keptForTab = keptIn(() => sessionStorage);

/** INVARIANT: never throws; even naming a blocked storage does. */
function keptIn(storage: () => Storage) {
  const unsaved = new Map<string, string | null>();
  return {
    get(name: string): string | null {
      if (unsaved.has(name)) return unsaved.get(name)!;
      try {
        return storage().getItem(name);
      } catch {
        return null;
      }
    },
    /** Null removes it. `unsaved` if a reload forgets the change. */
    set(name: string, text: string | null): 'kept' | 'unsaved' {
      try {
        if (text === null) storage().removeItem(name);
        else storage().setItem(name, text);
        unsaved.delete(name);
        return 'kept';
      } catch {
        unsaved.set(name, text);
        return 'unsaved';
      }
    },
  };
}
