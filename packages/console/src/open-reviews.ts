/** How many reviews wait for the user, for the navigation and the tab's title. */
import { useEffect } from 'preact/hooks';
import { call } from './api.ts';
import { notifyOfReviews } from './state/notify.ts';
import { useSession } from './state/session.ts';
import { createStore, useStore } from './state/store.ts';

export interface OpenReviews {
  readonly count: number;
  readonly areMore: boolean;
}

/** Null while unknown. The pages about reviews set it too, because they know sooner. */
export const openReviews = createStore<OpenReviews | null>(null);

const COUNT_EVERY_MS = 10_000;
const COUNTED_MAX = 50;

export function useOpenReviews(): OpenReviews | null {
  return useStore(openReviews);
}

/** Null if there is nothing to show. */
export function countInWords(open: OpenReviews | null): string | null {
  if (open === null || open.count === 0) return null;
  return `${open.count}${open.areMore ? '+' : ''}`;
}

/** A page may be short or empty and still not be the last: most open reviews may be for others. */
async function countOnce(
  signal: AbortSignal,
): Promise<(OpenReviews & { readonly ids: ReadonlySet<string> }) | null> {
  const ids = new Set<string>();
  let cursor = '';
  for (;;) {
    const query = { state: 'open', for: 'me', limit: COUNTED_MAX, cursor } as const;
    const outcome = await call('GET /v1/reviews', { query, signal, has: { reviews: 'array' } });
    if (outcome.kind === 'failure') return null;
    const { reviews, nextCursor } = outcome.value;
    for (const { id } of reviews) ids.add(id);
    if (nextCursor === null || ids.size >= COUNTED_MAX) {
      const count = Math.min(ids.size, COUNTED_MAX);
      return { count, areMore: nextCursor !== null || ids.size > COUNTED_MAX, ids };
    }
    cursor = nextCursor;
  }
}

/** Also counts in a hidden tab, whose title is all that the user sees of it. */
export function useCountingReviews(): void {
  const workspace = useSession()?.workspace.id ?? null;
  useEffect(() => {
    openReviews.set(null);
    if (workspace === null) return;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let known: ReadonlySet<string> | null = null;
    const count = async () => {
      const open = await countOnce(leaving.signal);
      if (leaving.signal.aborted) return;
      if (open !== null) {
        const { ids, ...counted } = open;
        openReviews.set(counted);
        if (known !== null) notifyOfReviews([...ids].filter((id) => !known!.has(id)).length);
        known = ids;
      }
      timer = setTimeout(count, COUNT_EVERY_MS);
    };
    count();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [workspace]);
}
