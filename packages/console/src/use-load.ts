/** Loading something for a page: what came, what failed, and again when asked or when the service is back. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Failure, Outcome } from './api.ts';
import { returns, useReturns } from './state/connection.ts';

export interface Load<T> {
  /** The newest that came; it stays on the page while a newer one is loaded or could not be. */
  readonly value: T | null;
  readonly failure: Failure | null;
  readonly isLoading: boolean;
  /** Gives up what is under way: whoever asks has changed something, or does not want to wait any longer. */
  readonly reload: () => void;
}

interface State<T> extends Omit<Load<T>, 'reload'> {
  readonly what: string;
  /** How often the service had come back when this was asked for. */
  readonly begunAfterReturns: number;
}

/** `what` names the thing: another name forgets the old value and loads anew. */
export function useLoad<T>(what: string, load: (signal: AbortSignal) => Promise<Outcome<T>>): Load<T> {
  const timesBack = useReturns();
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
          ? { what, value: outcome.value, failure: null, isLoading: false, begunAfterReturns }
          : { ...old, what, failure: outcome, isLoading: false, begunAfterReturns },
      );
    });
    return () => leaving.abort();
  }, [what, asked]);

  const reload = useCallback(() => setAsked((count) => count + 1), []);
  // Only what failed before: what is under way or came is not asked for a second time.
  const isWorthAnother = state.failure !== null && !state.isLoading && state.begunAfterReturns < timesBack;
  useEffect(() => {
    if (isWorthAnother) reload();
  }, [isWorthAnother, reload]);
  // Never the value of another thing, not even for one drawing.
  return { ...(state.what === what ? state : empty<T>(what)), reload };
}

function empty<T>(what: string): State<T> {
  return { what, value: null, failure: null, isLoading: true, begunAfterReturns: 0 };
}
