/** Loads data for a page, reloads it on request or when the service is back, and repeats acts while the page is open. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Failure, Reply } from './api.ts';
import { returns } from './state/connection.ts';
import { useStore } from './state/store.ts';

export interface Load<T> {
  /** The newest value; it stays on the page while a reload runs or after one failed. */
  readonly value: T | null;
  readonly failure: Failure | null;
  /** When the value was read; null while there is none. */
  readonly readAt: string | null;
  readonly isLoading: boolean;
  /** Cancels a load that is still running, because its result may be out of date. */
  readonly reload: () => void;
}

interface State<T> extends Omit<Load<T>, 'reload'> {
  readonly what: string;
  /** The value of `returns` when this load started. */
  readonly begunAfterReturns: number;
}

/** `what` identifies the data; a new name drops the old value and loads again. */
export function useLoad<T>(what: string, load: (signal: AbortSignal) => Promise<Reply<T>>): Load<T> {
  const timesBack = useStore(returns);
  const [asked, setAsked] = useState(0);
  const [state, setState] = useState<State<T>>(() => empty(what));
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const leaving = new AbortController();
    const begunAfterReturns = returns.get();
    setState((old) => (old.what === what ? { ...old, isLoading: true } : empty(what)));
    latest.current(leaving.signal).then((outcome) => {
      if (leaving.signal.aborted) return;
      setState((old) =>
        outcome.kind === 'success'
          ? {
              what,
              value: outcome.value,
              failure: null,
              isLoading: false,
              begunAfterReturns,
              readAt: new Date().toISOString(),
            }
          : { ...old, what, failure: outcome, isLoading: false, begunAfterReturns },
      );
    });
    return () => leaving.abort();
  }, [what, asked]);

  const reload = useCallback(() => setAsked((count) => count + 1), []);
  // Repeat only a load that failed before the service came back.
  const isWorthAnother = state.failure !== null && !state.isLoading && state.begunAfterReturns < timesBack;
  useEffect(() => {
    if (isWorthAnother) reload();
  }, [isWorthAnother, reload]);
  // Never return the value of another `what`, not even for one render.
  return { ...(state.what === what ? state : empty<T>(what)), reload };
}

function empty<T>(what: string): State<T> {
  return { what, value: null, failure: null, readAt: null, isLoading: true, begunAfterReturns: 0 };
}

/** Keeps the last value while something else is loaded in its place. */
export function useKept<T>(load: Load<T>): Load<T> {
  const kept = useRef<T | null>(null);
  if (load.value !== null) kept.current = load.value;
  return { ...load, value: kept.current };
}

/** Several loads as one: the value of each once all are there, its oldest part, and the first failure. */
export function together<T extends readonly unknown[]>(
  ...loads: {
    readonly [at in keyof T]: Pick<Load<T[at]>, 'failure' | 'readAt' | 'reload'> & {
      readonly value?: T[at] | null;
    };
  }
): Omit<Load<T>, 'isLoading'> {
  const values = loads.map(({ value }) => value);
  const times = loads.map(({ readAt }) => readAt);
  return {
    value: values.includes(null) ? null : (values as unknown as T),
    readAt: times.includes(null) ? null : (times.toSorted()[0] ?? null),
    failure: loads.find(({ failure }) => failure !== null)?.failure ?? null,
    reload: () => {
      for (const each of loads) each.reload();
    },
  };
}

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
