/** Whether the service answers; while it does not, somebody keeps asking, and whoever failed meanwhile tries again. */
import { createStore, useStore } from './store.ts';

const ASK_AGAIN_MS = 1_500;
/** A connection that hangs must not be the last one that is tried. */
const GIVE_UP_AFTER_MS = 3_000;

export const isAway = createStore(false);
/** How often the service came back: what was drawn from a failed call is loaded again when this grows. */
export const returns = createStore(0);

export function useReturns(): number {
  return useStore(returns);
}

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
      // A proxy that answers everything with a page of its own is not the service.
      const answer = (await response.json()) as { readonly status?: unknown } | null;
      if (response.ok && answer?.status === 'ok') return noteHere();
    } catch {
      // Still away.
    }
    askAgain();
  }, ASK_AGAIN_MS);
}
