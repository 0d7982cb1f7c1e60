/** Tracks whether the service responds; while it does not, polls until it is back. */
import { createStore } from './store.ts';

const ASK_AGAIN_MS = 1_500;
/** Gives up on a connection that hangs, so that the next poll can start. */
const GIVE_UP_AFTER_MS = 3_000;

export const isAway = createStore(false);
/** How often the service came back. When it grows, pages repeat the reads that failed. */
export const returns = createStore(0);

export function noteAway(): void {
  if (isAway.get()) return;
  isAway.set(true);
  askAgain();
}

export function noteHere(): void {
  if (!isAway.get()) return;
  isAway.set(false);
  returns.set(returns.get() + 1);
}

function askAgain(): void {
  setTimeout(async () => {
    if (!isAway.get()) return;
    try {
      const response = await fetch(new URL('healthz', document.baseURI), {
        cache: 'no-store',
        signal: AbortSignal.timeout(GIVE_UP_AFTER_MS),
      });
      // A proxy may respond to every request with a page of its own.
      const answer = (await response.json()) as { readonly status?: unknown } | null;
      if (response.ok && answer?.status === 'ok') return noteHere();
    } catch {
      // Still unreachable; poll again.
    }
    askAgain();
  }, ASK_AGAIN_MS);
}
