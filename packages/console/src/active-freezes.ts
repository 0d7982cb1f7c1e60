/** The freezes that stop writes now, for the banner on every page. */
import type { Freeze } from '@writecheck/api';
import { useEffect } from 'preact/hooks';
import { call } from './api.ts';
import { useSession } from './state/session.ts';
import { createStore, useStore } from './state/store.ts';

/** Newest first. Null while unknown. */
const activeFreezes = createStore<readonly Freeze[] | null>(null);

const LOOK_EVERY_MS = 5_000;

export function useActiveFreezes(): readonly Freeze[] | null {
  return useStore(activeFreezes);
}

/** Also after a change on this page, so that the banner never lags behind it. */
export async function lookAtFreezes(signal?: AbortSignal): Promise<void> {
  const options = { query: { state: 'active' }, has: { freezes: 'array' } } as const;
  const outcome = await call('GET /v1/freezes', signal === undefined ? options : { ...options, signal });
  if (outcome.kind === 'failure' || signal?.aborted) return;
  const before = JSON.stringify(activeFreezes.get());
  // An unchanged list is not announced again.
  if (JSON.stringify(outcome.value.freezes) !== before) activeFreezes.set(outcome.value.freezes);
}

export function useWatchingFreezes(): void {
  const workspace = useSession()?.workspace.id ?? null;
  useEffect(() => {
    activeFreezes.set(null);
    if (workspace === null) return;
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      if (document.visibilityState === 'visible') await lookAtFreezes(leaving.signal);
      if (!leaving.signal.aborted) timer = setTimeout(look, LOOK_EVERY_MS);
    };
    look();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [workspace]);
}
