import type { HeldWebhook, NewDelivery, WebhookCursor } from '@writecheck/store/port/webhooks';
import { expect, test } from 'vitest';
import { type GatherParts, gatherFromLogs, WebhookProgress } from './gather-events.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const LOG = 'log';
const WORKSPACE = 'ws_1';

/** An allow that took two limits to a threshold is two events of one entry. */
const ENTRIES = [
  [5, 'a'],
  [5, 'b'],
  [7, 'c'],
] as const;

function parts(taken: { cursor: WebhookCursor; limits: unknown[] }[]): GatherParts {
  const entries = ENTRIES.map(([index, limit]) => ({
    index,
    workspace: WORKSPACE,
    entry: {
      kind: 'limit',
      event: 'reached',
      workspace: WORKSPACE,
      timestamp: '2026-11-16T12:00:00Z',
      limit,
    },
    target: null,
    runId: null,
  }));
  const store = {
    logs: async () => [{ log: LOG, size: 10 }],
    notableEntries: async (_: string, from: number) => ({
      entries: entries.filter(({ index }) => index >= from),
      next: 10,
    }),
    takeEvents: async (_: string, __: string, cursor: WebhookCursor, deliveries: readonly NewDelivery[]) => {
      taken.push({ cursor, limits: deliveries.map(({ data }) => JSON.parse(data).limitId) });
      return true;
    },
  };
  const links = { decision: (id: string) => id, review: (id: string) => id };
  return { store, links, holder: 'h', dropped: () => undefined } as unknown as GatherParts;
}

function reading(waiting: number, from: number): WebhookProgress {
  const cursor = { logs: { [LOG]: from }, timeMs: NOW, quota: { period: '', percent: 0 } };
  const webhook = { id: 'whk_1', workspace: WORKSPACE, events: ['limit.reached'], cursor, waiting };
  return new WebhookProgress(webhook as unknown as HeldWebhook, {});
}

test('if there is room for only one of two events of an entry, neither is lost: the cursor waits before the entry', async () => {
  const taken: { cursor: WebhookCursor; limits: unknown[] }[] = [];
  const full = reading(99, 0);
  expect(await gatherFromLogs(parts(taken), [full], NOW)).toBe(false);
  expect([taken, full.logs]).toEqual([[], { [LOG]: 5 }]);

  const roomier = reading(98, 5);
  await gatherFromLogs(parts(taken), [roomier], NOW);
  expect(taken.map(({ limits }) => limits)).toEqual([['a', 'b']]);
  expect(taken[0]!.cursor.logs).toEqual({ [LOG]: 7 });
});

test('with room for all, the cursor passes every entry that was read', async () => {
  const taken: { cursor: WebhookCursor; limits: unknown[] }[] = [];
  const one = reading(0, 0);
  expect(await gatherFromLogs(parts(taken), [one], NOW)).toBe(false);
  expect(taken.map(({ limits }) => limits)).toEqual([['a', 'b', 'c']]);
  expect(one.logs).toEqual({ [LOG]: 10 });
});
