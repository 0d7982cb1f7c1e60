/** Repeats an act while a page is open and visible. */
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
