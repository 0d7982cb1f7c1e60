/** The freezes that stop writes now, for the banner on every page. */

import type { Freeze } from '@writecheck/api';
import { useEffect } from 'preact/hooks';
import { call, type Reply } from './api.ts';
import { mapped, readPages } from './replies.ts';
import { useSession } from './state/session.ts';
import { createStore, useStore } from './state/store.ts';
import { useWatching } from './use-load.ts';

/** Newest first. Null while unknown. */
export const activeFreezes = createStore<readonly Freeze[] | null>(null);

const LOOK_EVERY_MS = 5_000;
let looks = 0;

export function useActiveFreezes(): readonly Freeze[] | null {
  return useStore(activeFreezes);
}

/** Every page of the list, up to `most`. */
export async function readFreezes(
  state: 'active' | 'all',
  most: number,
  signal?: AbortSignal,
): Promise<Reply<readonly Freeze[]>> {
  const read = (cursor: string) => call('GET /v1/freezes', { query: { state, cursor }, signal });
  return mapped(await readPages(most, read, ({ freezes }) => freezes), ({ rows }) => rows);
}

/** Also after a change on this page, so that the banner never lags behind it. */
export async function lookAtFreezes(signal?: AbortSignal): Promise<void> {
  const look = ++looks;
  const outcome = await readFreezes('active', Number.POSITIVE_INFINITY, signal);
  // INVARIANT: only the newest look counts; an older response may be from before a freeze.
  if (outcome.kind === 'failure' || signal?.aborted || look !== looks) return;
  const before = JSON.stringify(activeFreezes.get());
  // An unchanged list is not announced again.
  if (JSON.stringify(outcome.value) !== before) activeFreezes.set(outcome.value);
}

export function useWatchingFreezes(): void {
  const workspace = useSession()?.workspace.id ?? null;
  useEffect(() => activeFreezes.set(null), [workspace]);
  useWatching(workspace, LOOK_EVERY_MS, lookAtFreezes);
}
