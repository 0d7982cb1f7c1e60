/** A list of decisions page by page: however many there are, one page of them is in the browser. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Failure } from '../../api.ts';
import { useLoad } from '../../use-load.ts';
import { type DecisionQuery, type DecisionSummary, listDecisions } from './decisions-api.ts';

const PAGE_SIZE = 50;
const LIVE_EVERY_MS = 2_000;

export interface DecisionPages {
  /** While a page is on its way, those of the page before. */
  readonly rows: readonly DecisionSummary[] | null;
  readonly isLoading: boolean;
  readonly failure: Failure | null;
  /** From 1 on. */
  readonly number: number;
  readonly next: (() => void) | null;
  readonly previous: (() => void) | null;
  readonly reload: () => void;
}

/** `queryNow` is asked at every loading, since it may hold a moment such as a day ago; `what` names what it asks for. */
export function useDecisionPages(
  what: string,
  queryNow: () => DecisionQuery,
  isLive: boolean,
): DecisionPages {
  // Of each page up to this one, the cursor it begins after.
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

/** Not while nobody looks. Whoever loads switches it off meanwhile: one request at a time, however slow the service is. */
export function useEvery(everyMs: number, isOn: boolean, act: () => void): void {
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') act();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isOn, act]);
}
