/** Pages through decisions; the browser holds one page at a time. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { useLoad } from '../../use-load.ts';
import { type DecisionQuery, type DecisionSummary, listDecisions } from './decisions-api.ts';

const PAGE_SIZE = 50;
const LIVE_EVERY_MS = 2_000;

export interface DecisionPages {
  /** While a page loads, the rows of the previous page. */
  readonly rows: readonly DecisionSummary[] | null;
  readonly isLoading: boolean;
  readonly failure: Failure | null;
  /** Starts at 1. */
  readonly number: number;
  readonly next: (() => void) | null;
  readonly previous: (() => void) | null;
  readonly reload: () => void;
}

/** `queryNow` runs at every load, because it may depend on the current time; `what` identifies the query. */
export function useDecisionPages(
  what: string,
  queryNow: () => DecisionQuery,
  isLive: boolean,
): DecisionPages {
  // The cursor each page up to this one starts after.
  const [place, setPlace] = useState<{ readonly what: string; readonly cursors: readonly string[] }>({
    what,
    cursors: [],
  });
  const cursors = place.what === what ? place.cursors : [];
  const cursor = cursors.at(-1);
  const loaded = useLoad(`${what} ${cursor ?? ''}`, (signal) =>
    listDecisions(
      { ...queryNow(), limit: String(PAGE_SIZE), ...(cursor === undefined ? {} : { cursor }) },
      signal,
    ),
  );
  const kept = useRef<readonly DecisionSummary[] | null>(null);
  if (loaded.value !== null) kept.current = loaded.value.decisions;
  useEvery(LIVE_EVERY_MS, isLive && cursor === undefined && !loaded.isLoading, loaded.reload);
  const nextCursor = loaded.value?.nextCursor ?? null;
  return {
    rows: kept.current,
    isLoading: loaded.value === null && loaded.isLoading,
    failure: loaded.failure,
    number: cursors.length + 1,
    next: nextCursor === null ? null : () => setPlace({ what, cursors: [...cursors, nextCursor] }),
    previous: cursors.length === 0 ? null : () => setPlace({ what, cursors: cursors.slice(0, -1) }),
    reload: loaded.reload,
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
