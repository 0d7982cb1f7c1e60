/** Desktop notifications of new reviews: asked for by a click, kept by this browser, silent while the page is visible. */
import { keptForever } from './kept.ts';
import { go } from './route.ts';
import { createStore } from './store.ts';

const WANTED_AS = 'writecheck.notify';

/** `unknown`: the user was not asked yet, or turned them off. */
export type Notifying = 'unsupported' | 'unknown' | 'on' | 'refused';

export const notifying = createStore<Notifying>(current());

function current(): Notifying {
  if (!('Notification' in window)) return 'unsupported';
  if (Notification.permission === 'denied') return 'refused';
  return keptForever.get(WANTED_AS) !== null && Notification.permission === 'granted' ? 'on' : 'unknown';
}

/** INVARIANT: called by a click alone, because a browser asks nobody twice. */
export async function turnNotifications(): Promise<void> {
  if (notifying.get() === 'on') keptForever.set(WANTED_AS, null);
  else if ((await Notification.requestPermission()) === 'granted') keptForever.set(WANTED_AS, 'yes');
  notifying.set(current());
}

/** Tells how many, and nothing of them: a notification may stand on a locked screen. */
export function notifyOfReviews(count: number): void {
  if (count === 0 || notifying.get() !== 'on' || document.visibilityState === 'visible') return;
  const title = count === 1 ? 'A write waits for you' : `${count} writes wait for you`;
  try {
    const notification = new Notification(title, { body: 'Writecheck inbox', tag: 'writecheck-inbox' });
    notification.onclick = () => {
      window.focus();
      go('/reviews');
      notification.close();
    };
  } catch {
    // Browsers on phones have the class and refuse the call.
  }
}
