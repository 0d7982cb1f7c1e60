/** The current time, to the second, for showing ages. */
import { createStore } from './store.ts';

const TELL_EVERY_MS = 1_000;

export const now = createStore(Date.now());
// Unit tests load this outside a page.
if (typeof document !== 'undefined')
  setInterval(() => {
    if (document.visibilityState === 'visible') now.set(Date.now());
  }, TELL_EVERY_MS);
