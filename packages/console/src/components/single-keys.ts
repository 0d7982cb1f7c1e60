/** Single keys that act on a page, and when they belong to something else. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keptForever } from '../state/kept.ts';

/** People who dictate or press keys by accident turn single keys off. */
const OFF_AS = 'writecheck.shortcuts-off';

export function areSingleKeysOff(): boolean {
  return keptForever.get(OFF_AS) !== null;
}

export function turnSingleKeys(isOff: boolean): void {
  keptForever.set(OFF_AS, isOff ? 'yes' : null);
}

/** What each key does on this page; null while it does nothing. */
export function useKeys(acts: { readonly [key: string]: (() => void) | null }): void {
  const newest = useRef(acts);
  newest.current = acts;
  // As soon as its button is there: a key pressed before the next frame would be lost.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = newest.current[event.key] ?? null;
      if (act === null || isForTheField(event)) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** Whether a key belongs to the field, dialog or browser rather than to the page. */
export function isForTheField(event: KeyboardEvent): boolean {
  if (areSingleKeysOff()) return true;
  if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return true;
  const at = document.activeElement;
  if (at instanceof HTMLInputElement && at.type !== 'checkbox') return true;
  return (
    at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement || at?.closest('dialog') != null
  );
}
