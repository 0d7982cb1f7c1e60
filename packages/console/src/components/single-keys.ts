/** Single keys that act on a page, and when they belong to something else. */
import { keptForever } from '../state/kept.ts';

/** People who dictate or press keys by accident turn single keys off. */
const OFF_AS = 'writecheck.shortcuts-off';

export function areSingleKeysOff(): boolean {
  return keptForever.get(OFF_AS) !== null;
}

export function turnSingleKeys(isOff: boolean): void {
  keptForever.set(OFF_AS, isOff ? 'yes' : null);
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
