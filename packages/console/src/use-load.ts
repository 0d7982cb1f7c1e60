/** Loading something for a page: what came, what failed, and again when asked or when the service is back. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Failure, Outcome } from './api.ts';
import { useReturns } from './state/connection.ts';

export interface Load<T> {
  /** The newest that came; it stays on the page while a newer one is loaded or could not be. */
  readonly value: T | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** `what` names the thing: another name forgets the old value and loads anew. */
export function useLoad<T>(what: string, load: (signal: AbortSignal) => Promise<Outcome<T>>): Load<T> {
  const returns = useReturns();
  const [asked, setAsked] = useState(0);
  const [state, setState] = useState<Omit<Load<T>, 'reload'> & { readonly what: string }>(() => empty(what));
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const leaving = new AbortController();
    setState((old) => (old.what === what ? { ...old, isLoading: true } : empty(what)));
    latest.current(leaving.signal).then((outcome) => {
      if (leaving.signal.aborted) return;
      setState((old) =>
        outcome.kind === 'success'
          ? { what, value: outcome.value, failure: null, isLoading: false }
          : { ...old, what, failure: outcome, isLoading: false },
      );
    });
    return () => leaving.abort();
  }, [what, asked, returns]);

  const reload = useCallback(() => setAsked((count) => count + 1), []);
  // Never the value of another thing, not even for one drawing.
  return { ...(state.what === what ? state : empty<T>(what)), reload };
}

function empty<T>(what: string): Omit<Load<T>, 'reload'> & { readonly what: string } {
  return { what, value: null, failure: null, isLoading: true };
}
