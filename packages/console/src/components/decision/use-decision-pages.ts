/** Pages through decisions; the browser holds one page at a time. */

import { useState } from 'preact/hooks';
import { type DecisionQuery, listDecisions } from '../../calls/decisions.ts';
import { replacePlace } from '../../state/route.ts';
import { useEvery, useKept, useLoad } from '../../use-load.ts';

const PAGE_SIZE = 40;
const LIVE_EVERY_MS = 2_000;

export type DecisionPages = ReturnType<typeof useDecisionPages>;

/** The cursor that each page up to this one starts after. */
interface PagePlace {
  readonly cursors: readonly string[];
  readonly set: (cursors: readonly string[]) => void;
}

/** A place in the address, so that going back leads to the same page of the list. */
export function placeInAddress(path: string, filters: { readonly [name: string]: string }): PagePlace {
  return {
    cursors: filters.pages?.split('~') ?? [],
    set: (cursors) => replacePlace(path, { ...filters, pages: cursors.join('~') }),
  };
}

/** `queryNow` runs at every load, because it may depend on the current time; `what` identifies the query. */
export function useDecisionPages(
  what: string,
  queryNow: () => DecisionQuery,
  isLive: boolean,
  inAddress?: PagePlace,
) {
  const [own, setOwn] = useState<readonly string[]>([]);
  const { cursors, set } = inAddress ?? { cursors: own, set: setOwn };
  const cursor = cursors.at(-1);
  const loaded = useLoad(`${what} ${cursor ?? ''}`, (signal) =>
    listDecisions({ ...queryNow(), limit: String(PAGE_SIZE), cursor: cursor ?? '' }, signal),
  );
  const kept = useKept(loaded);
  useEvery(LIVE_EVERY_MS, isLive && cursor === undefined && !loaded.isLoading, loaded.reload);
  const nextCursor = loaded.value?.nextCursor ?? null;
  return {
    /** While a page loads, the rows of the previous page. */
    rows: kept.value?.decisions ?? null,
    isLoading: loaded.value === null && loaded.isLoading,
    failure: loaded.failure,
    readAt: loaded.readAt,
    /** Starts at 1. */
    number: cursors.length + 1,
    next: nextCursor === null ? null : () => set([...cursors, nextCursor]),
    previous: cursors.length === 0 ? null : () => set(cursors.slice(0, -1)),
    reload: loaded.reload,
  };
}
