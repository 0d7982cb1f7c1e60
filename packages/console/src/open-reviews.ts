/** How many reviews wait for the user, for the navigation and the tab's title. */

import { useEffect, useRef } from 'preact/hooks';
import { call } from './api.ts';
import { readPages } from './replies.ts';
import { notifyOfReviews } from './state/notify.ts';
import { useSession } from './state/session.ts';
import { createStore, useStore } from './state/store.ts';
import { useWatching } from './use-load.ts';

export interface OpenReviews {
  readonly count: number;
  readonly areMore: boolean;
}

/** Null while unknown. */
export const openReviews = createStore<OpenReviews | null>(null);

const COUNT_EVERY_MS = 10_000;
const COUNTED_MAX = 200;
/** A long queue costs more to read, and nobody sees its end change. */
const LONG = 50;
const LONG_EVERY = 3;

export function useOpenReviews(): OpenReviews | null {
  return useStore(openReviews);
}

/** INVARIANT: every page that counts shows the same badge; a page may count further than this. */
export function badgeOf(count: number, areMore: boolean): OpenReviews {
  return { count: Math.min(count, COUNTED_MAX), areMore: areMore || count > COUNTED_MAX };
}

/** For the pages about reviews, which know sooner. */
export function noteOpenReviews(count: number, areMore: boolean): void {
  openReviews.set(badgeOf(count, areMore));
}

/** After a verdict, so that the badge does not lag behind the user's own work. */
export function noteDecided(): void {
  const open = openReviews.get();
  if (open !== null && !open.areMore) noteOpenReviews(Math.max(0, open.count - 1), false);
}

/** Null if there is nothing to show. */
export function countInWords(open: OpenReviews | null): string | null {
  if (open === null || open.count === 0) return null;
  return `${open.count}${open.areMore ? '+' : ''}`;
}

/** A page may be short or empty and still not be the last: most open reviews may be for others. */
async function countOnce(
  signal: AbortSignal,
): Promise<{ readonly ids: ReadonlySet<string>; readonly areMore: boolean } | null> {
  const read = (cursor: string) =>
    call('GET /v1/reviews', { query: { state: 'open', for: 'me', limit: COUNTED_MAX, cursor }, signal });
  const pages = await readPages(COUNTED_MAX, read, ({ reviews }) => reviews.map(({ id }) => id));
  if (pages.kind === 'failure') return null;
  return { ids: new Set(pages.value.rows), areMore: pages.value.nextCursor !== null };
}

/** Also counts in a hidden tab, whose title is all that the user sees of it. */
export function useCountingReviews(): void {
  const workspace = useSession()?.workspace.id ?? null;
  const known = useRef<ReadonlySet<string> | null>(null);
  useEffect(() => {
    openReviews.set(null);
    known.current = null;
  }, [workspace]);
  const rounds = useRef(0);
  const count = async (signal: AbortSignal) => {
    const before = openReviews.get();
    rounds.current += 1;
    if ((before?.count ?? 0) > LONG && rounds.current % LONG_EVERY !== 0) return;
    const open = await countOnce(signal);
    if (signal.aborted || open === null) return;
    const { ids, areMore } = open;
    // What a page noted meanwhile is newer.
    if (openReviews.get() === before) noteOpenReviews(ids.size, areMore);
    const seen = known.current;
    if (seen !== null) notifyOfReviews([...ids].filter((id) => !seen.has(id)).length);
    // Beyond the counted ones, an old review moves up whenever another closes: do not notify about it.
    known.current = areMore ? null : ids;
  };
  useWatching(workspace, COUNT_EVERY_MS, count, true);
}
