/** Finds and erases in one step, as the command does. */
import type { Erasure, Progress, PruneQuery, Store } from '../src/port.ts';

export const ERASURE: Omit<Erasure, 'atMs'> = {
  id: 'era_1',
  by: { kind: 'operator', id: 'tester' },
  reason: 'asked to',
};

export async function erase(store: Store, query: PruneQuery, progress?: Progress): Promise<number> {
  const found = await store.findPrunable(query);
  return store.prune(found, { ...ERASURE, atMs: await store.newestAtMs() }, progress);
}

export async function countPrunable(store: Store, query: PruneQuery): Promise<number> {
  const { counts } = await store.findPrunable(query);
  return [...counts.values()].reduce((sum, { entries }) => sum + entries, 0);
}
