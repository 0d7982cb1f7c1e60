/** The time, as coarse as a page needs it to say how long ago something was. */
import { createStore } from './store.ts';

const TELL_EVERY_MS = 1_000;

export const now = createStore(Date.now());
setInterval(() => {
  if (document.visibilityState === 'visible') now.set(Date.now());
}, TELL_EVERY_MS);
