/** Runs a search while its list is open: by itself among the newest, then on through the rest if asked, until stopped. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { type Filters, timedQueryOf } from './filters.ts';
import { type Step, searchDecisions } from './search-decisions.ts';
import { MISMATCH, soughtIn } from './what-is-said.ts';

/** Drawing every step would take longer than the steps. */
const SHOWN_EVERY_MS = 250;

export type Search = ReturnType<typeof useSearch>;

interface Run {
  readonly steps: ReturnType<typeof searchDecisions>;
  readonly leaving: AbortController;
  isStopped: boolean;
}

interface State {
  readonly what: string | null;
  /** Null before its first result. */
  readonly step: Step | null;
  readonly failure: Failure | null;
  readonly isRunning: boolean;
  /** Whether `step` is of the search before, which stays until this one has a result. */
  readonly isOld: boolean;
}

/** Nothing runs for null. */
export function useSearch(filters: Filters | null) {
  const what = filters === null ? null : nameOf(filters);
  const [state, setState] = useState<State>(() => begun(what, null));
  const run = useRef<Run | null>(null);
  const drive = async (own: Run) => {
    own.isStopped = false;
    const say = (change: Partial<State>) =>
      own.leaving.signal.aborted || setState((old) => ({ ...old, ...change }));
    say({ failure: null, isRunning: true });
    let [last, shownMs]: [Step | undefined, number] = [undefined, performance.now()];
    for (;;) {
      const { value, done } = await own.steps.next();
      if (own.leaving.signal.aborted) return;
      // INVARIANT: what the search before found is never shown as the result of one that failed.
      if (value && value.kind === 'failure')
        return setState(({ what: of, step, isOld }) => ({
          what: of,
          step: isOld ? null : step,
          isOld: false,
          failure: value,
          isRunning: false,
        }));
      last = value || last;
      const isOver = done || last?.isPause || own.isStopped;
      const isShown = isOver || performance.now() - shownMs > SHOWN_EVERY_MS;
      if (isShown) {
        shownMs = performance.now();
        say({ ...(last && { step: last, isOld: false }), isRunning: !isOver });
      }
      if (isOver) return;
    }
  };
  useEffect(() => {
    if (what === null || filters === null) return setState(begun(null, null));
    setState(({ step }) => begun(what, step));
    const leaving = new AbortController();
    const asked = filters.is === undefined ? filters : { ...filters, reason_code: MISMATCH };
    const steps = searchDecisions(timedQueryOf(asked), soughtIn(filters), leaving.signal);
    const own = { steps, leaving, isStopped: false };
    run.current = own;
    drive(own);
    return () => leaving.abort();
  }, [what]);
  return {
    ...(state.what === what ? state : begun(what, what === null ? null : state.step)),
    /** Searches on, or tries again. */
    goOn: () => run.current !== null && drive(run.current),
    stop: () => {
      if (run.current !== null) run.current.isStopped = true;
    },
  };
}

function begun(what: string | null, old: Step | null): State {
  return { what, step: old, failure: null, isRunning: what !== null, isOld: old !== null };
}

/** The order of what is found needs no other search, once amounts are read. */
function nameOf({ pages: _, order, ...filters }: Filters): string {
  return JSON.stringify([filters, order !== undefined]);
}
