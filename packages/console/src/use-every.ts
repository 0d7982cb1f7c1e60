/** Repeats an act while a page is open. */
import { useEffect } from 'preact/hooks';

/** Skips hidden tabs. Callers turn it off while loading, so that a slow service gets one request at a time. */
export function useEvery(everyMs: number, isOn: boolean, act: () => void): void {
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') act();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isOn, act]);
}

/** Now, and again a while after each time; a new `what` aborts and starts over, null stops. Skips hidden tabs unless told not to. */
export function useWatching(
  what: string | null,
  everyMs: number,
  look: (signal: AbortSignal) => Promise<void>,
  isAlsoHidden = false,
): void {
  useEffect(() => {
    if (what === null) return;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = async () => {
      if (isAlsoHidden || document.visibilityState === 'visible') await look(leaving.signal);
      if (!leaving.signal.aborted) timer = setTimeout(again, everyMs);
    };
    again();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [what]);
}
