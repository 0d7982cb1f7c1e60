import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { type ServiceState, watchState } from './state-metrics.ts';

const STATE: ServiceState = {
  version: '1.2.3',
  commit: 'abc',
  store: 'sqlite',
  readiness: async () => ({ kind: 'ready' }),
  isForked: () => false,
  sinceSignedMs: async () => 0,
  clockBehindMs: () => 0,
  figures: async () => ({ databaseBytes: 3, diskFreeBytes: 2, indexBehind: 1, idempotencyRows: 0 }),
  activeFreezes: async () => 0,
  revisions: () => [],
  queueDepth: () => 0,
  clockAheadMs: () => 0,
  openReviews: async () => ({ count: 0, oldestOpenedAtMs: null }),
  waitingDeliveries: async () => ({ count: 0, oldestAtMs: null }),
  clock: () => 0,
};
const OF_THE_STORE =
  /^writecheck_(?:database_bytes|disk_free_bytes|index_behind_entries|freezes_active) .*$/gm;

async function shown(state: Partial<ServiceState>): Promise<readonly string[]> {
  const registry = new Registry();
  await watchState(registry, { ...STATE, ...state });
  return (await registry.metrics()).match(OF_THE_STORE) ?? [];
}

test('a gauge shows the value from the store', async () => {
  expect(await shown({})).toEqual([
    'writecheck_freezes_active 0',
    'writecheck_database_bytes 3',
    'writecheck_disk_free_bytes 2',
    'writecheck_index_behind_entries 1',
  ]);
});

test('a gauge is absent if the store returns no value, so that no disk seems full and no index complete', async () => {
  const never = () => new Promise<never>(() => undefined);
  expect(
    await shown({
      figures: never,
      activeFreezes: () => Promise.reject(new Error('down')),
    }),
  ).toEqual([]);
});
