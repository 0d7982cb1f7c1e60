/** What every store must do for webhooks: leases, cursors that move with their deliveries, and the log from creation on. */
import { describe, expect, test } from 'vitest';
import type { NewDelivery, NewWebhook, WebhookCursor } from '../../src/port/webhooks.ts';
import type { Store } from '../../src/port.ts';
import { COMMAND_LINE, commitTo, idOf, newRequest } from './store-contract-values.ts';

const newWebhook = (workspace: string, changes: Partial<NewWebhook> = {}): NewWebhook => ({
  ...{ workspace, id: idOf('whk_'), url: 'https://hooks.example.com/', events: ['test'], format: 'standard' },
  ...{
    description: 'ü',
    state: 'active',
    because: null,
    signer: idOf('line '),
    sealed: 'c2VhbGVk',
    sealedBefore: null,
    rotation: 0,
    rotatedAtMs: null,
  },
  ...{ createdAtMs: 1_000, ...changes },
});

const delivery = (id: string, changes: Partial<NewDelivery> = {}): NewDelivery => ({
  ...{ id, type: 'test', atMs: 1_000, data: '{"a":"\\u0000"}', state: 'waiting', ...changes },
});

export const describeWebhooks = (under: {
  readonly store: () => Store;
  readonly other: () => Promise<Store>;
  readonly made: () => Promise<string>;
}): void => {
  const { store, made } = under;
  const held = async (changes: Partial<NewWebhook> = {}, holder = idOf('holder ')) => {
    const webhook = newWebhook(await made(), changes);
    expect(await store().createWebhook(webhook, 10, COMMAND_LINE)).toEqual({ kind: 'created' });
    await store().leaseWebhooks({ holder, signer: webhook.signer, nowMs: 1_000, untilMs: 2_000 });
    const [row] = await store().heldWebhooks(holder, 1_500);
    return { webhook, holder, cursor: row?.cursor as WebhookCursor };
  };
  const states = async (webhook: string) =>
    (await store().listDeliveries(webhook, null, 50)).deliveries.map(({ id, state }) => [id, state]);

  describe('webhooks', () => {
    test('a workspace has at most the maximum, even in a race', async () => {
      const second = await under.other();
      try {
        const workspace = await made();
        const makers = Array.from({ length: 12 }, (_, i) =>
          (i % 2 === 0 ? store() : second).createWebhook(newWebhook(workspace), 10, COMMAND_LINE),
        );
        const outcomes = await Promise.all(makers);
        expect(outcomes.filter(({ kind }) => kind === 'created')).toHaveLength(10);
        expect(await store().listWebhooks(workspace)).toHaveLength(10);
      } finally {
        await second.close();
      }
    });

    test('a workspace sends at most the maximum of tests and redeliveries in a window, over all processes', async () => {
      const second = await under.other();
      try {
        const workspace = await made();
        const limit = { most: 5, windowMs: 1_000 };
        const count = (nowMs: number, i = 0) =>
          (i % 2 === 0 ? store() : second).countCall(workspace, limit, nowMs);
        expect(await count(10_000)).toEqual({ isAdmitted: true, sinceMs: 10_000 });
        const racing = await Promise.all(Array.from({ length: 8 }, (_, i) => count(10_500, i)));
        expect(racing.filter(({ isAdmitted }) => isAdmitted)).toHaveLength(4);
        expect(await count(10_999)).toEqual({ isAdmitted: false, sinceMs: 10_000 });
        expect(await count(11_000)).toEqual({ isAdmitted: true, sinceMs: 11_000 });
        expect((await store().countCall(await made(), limit, 11_000)).isAdmitted).toBe(true);
      } finally {
        await second.close();
      }
    });

    test('a change needs the version before it, and the workspace', async () => {
      const { webhook } = await held();
      const found = (await store().findWebhook(webhook.workspace, webhook.id))!;
      expect(found).toEqual({ ...webhook, version: 1 });
      const changed = { ...found, description: null, version: 2 };
      expect(
        await store().changeWebhook({ ...changed, workspace: await made() }, null, COMMAND_LINE, 1),
      ).toBe(false);
      expect(await store().changeWebhook(changed, null, COMMAND_LINE, 1)).toBe(true);
      expect(await store().changeWebhook(changed, null, COMMAND_LINE, 1)).toBe(false);
      expect(await store().findWebhook(webhook.workspace, webhook.id)).toEqual(changed);
      expect(await store().findWebhook(await made(), webhook.id)).toBeNull();
      expect(await store().deleteWebhook(await made(), webhook.id, COMMAND_LINE, 1)).toBe(false);
    });

    test('one process holds it until its lease ends, and only with the right signing key', async () => {
      const { webhook, holder } = await held();
      const { signer } = webhook;
      const lease = (who: string, line: string, nowMs: number) =>
        store().leaseWebhooks({ holder: who, signer: line, nowMs, untilMs: nowMs + 1_000 });
      const holds = async (who: string, nowMs: number) =>
        (await store().heldWebhooks(who, nowMs)).some(({ id }) => id === webhook.id);
      const other = idOf('other ');
      await lease(other, signer, 1_999);
      expect([await holds(holder, 1_999), await holds(other, 1_999)]).toEqual([true, false]);
      await lease(other, 'another line', 3_000);
      expect(await holds(other, 3_000)).toBe(false);
      await lease(other, signer, 3_000);
      expect([await holds(holder, 3_000), await holds(other, 3_000)]).toEqual([false, true]);
      // The previous holder takes nothing, and its results do not count.
      expect(await store().takeEvents(holder, webhook.id, {}, [delivery('a')], 1)).toBe(false);
      expect(await states(webhook.id)).toEqual([]);
      await store().releaseWebhooks(other);
      await lease(holder, signer, 3_001);
      expect(await holds(holder, 3_001)).toBe(true);
      expect([await store().hasActiveWebhook(signer), await store().hasActiveWebhook('no line')]).toEqual([
        true,
        false,
      ]);
    });

    test('the cursor moves with its deliveries, and an event taken twice is one delivery', async () => {
      const { webhook, holder, cursor } = await held();
      const next = { ...cursor, another: 7 };
      for (let i = 0; i < 2; i += 1)
        expect(await store().takeEvents(holder, webhook.id, next, [delivery('a'), delivery('b')], 5)).toBe(
          true,
        );
      const [row] = await store().heldWebhooks(holder, 1_500);
      expect(row).toMatchObject({ cursor: next, waiting: 2 });
      expect(await states(webhook.id)).toEqual([
        ['b', 'waiting'],
        ['a', 'waiting'],
      ]);
      expect((await store().findDeliveries(webhook.id, ['a', 'none']))[0]).toMatchObject({
        ...{
          id: 'a',
          type: 'test',
          atMs: 1_000,
          data: '{"a":"\\u0000"}',
          attempts: 0,
          status: null,
          nextAtMs: 5,
        },
      });
    });

    test('what is due is read by webhook, and settled only by the holder', async () => {
      const { webhook, holder, cursor } = await held();
      const three = ['a', 'b', 'c'].map((id) => delivery(id));
      await store().takeEvents(holder, webhook.id, cursor, three, 100);
      const due = async (nowMs: number) =>
        (await store().dueDeliveries([webhook.id, 'whk_none'], nowMs, 2)).map(({ id }) => id);
      expect(await due(99)).toEqual([]);
      expect(await due(100)).toEqual(['a', 'b']);
      const result = { webhook: webhook.id, id: 'a', attempts: 1, status: 500 };
      await store().settleDeliveries('nobody', [{ ...result, state: 'delivered', nextAtMs: null }]);
      expect(await due(100)).toEqual(['a', 'b']);
      await store().settleDeliveries(holder, [
        { ...result, state: 'waiting', nextAtMs: 200 },
        { ...result, id: 'b', state: 'failed', nextAtMs: null, disables: 'failing' },
      ]);
      expect(await due(200)).toEqual(['c', 'a']);
      expect(await store().findWebhook(webhook.workspace, webhook.id)).toMatchObject({
        ...{ state: 'disabled', because: 'failing', version: 2 },
      });
      expect(await store().heldWebhooks(holder, 1_500)).toEqual([]);
      expect(await store().redeliver(webhook.id, 'b', 300)).toMatchObject({
        ...{ id: 'b', state: 'waiting', attempts: 0, nextAtMs: 300 },
      });
      expect(await store().redeliver(webhook.id, 'none', 300)).toBeNull();
    });

    test('resuming drops old events and makes the rest due now; deleting leaves nothing', async () => {
      const { webhook, holder, cursor } = await held();
      const deliveries = [delivery('old', { atMs: 10 }), delivery('new', { atMs: 20 })];
      await store().takeEvents(holder, webhook.id, cursor, deliveries, 900);
      const found = (await store().findWebhook(webhook.workspace, webhook.id))!;
      expect(await store().changeWebhook({ ...found, version: 2 }, 20, COMMAND_LINE, 50)).toBe(true);
      expect(await states(webhook.id)).toEqual([
        ['new', 'waiting'],
        ['old', 'dropped'],
      ]);
      expect((await store().dueDeliveries([webhook.id], 50, 5)).map(({ id }) => id)).toEqual(['new']);
      expect(await store().deleteWebhook(webhook.workspace, webhook.id, COMMAND_LINE, 1)).toBe(true);
      expect(await states(webhook.id)).toEqual([]);
      expect(await store().addDelivery(webhook.id, delivery('late'), 1)).toBe(false);
    });

    test('settled deliveries are swept by age and number, waiting ones stay', async () => {
      const { webhook, holder, cursor } = await held();
      const all = Array.from({ length: 6 }, (_, i) => delivery(`d${i}`, { atMs: 100 + i }));
      await store().takeEvents(holder, webhook.id, cursor, all, 1);
      await store().settleDeliveries(
        holder,
        ['d0', 'd2', 'd3', 'd5'].map((id) => ({
          ...{ webhook: webhook.id, id, state: 'delivered', attempts: 1, status: 200, nextAtMs: null },
        })) as never,
      );
      expect(await store().sweepDeliveries([webhook.id], 101, 3)).toBe(2);
      expect(await store().sweepDeliveries([webhook.id], 101, 3)).toBe(0);
      expect((await states(webhook.id)).map(([id]) => id)).toEqual(['d5', 'd4', 'd3', 'd1']);
    });

    test('pages of deliveries are consistent', async () => {
      const { webhook, holder, cursor } = await held();
      const all = Array.from({ length: 5 }, (_, i) => delivery(`d${i}`));
      await store().takeEvents(holder, webhook.id, cursor, all, 1);
      const seen: string[] = [];
      for (let before: number | null = null, more = true; more; more = before !== null) {
        const page = await store().listDeliveries(webhook.id, before, 2);
        seen.push(...page.deliveries.map(({ id }) => id));
        before = page.next;
      }
      expect(seen).toEqual(['d4', 'd3', 'd2', 'd1', 'd0']);
    });
  });

  describe('the log for webhooks', () => {
    test('begins after the entries at its creation, and has neither allows nor other workspaces', async () => {
      const other = await made();
      await commitTo(store(), [newRequest(other, { decision: 'pause' })]);
      const { webhook, cursor } = await held();
      const { workspace } = webhook;
      // The entry of its own creation comes first.
      const from = cursor[store().log]! + 1;
      const paused = newRequest(workspace, { decision: 'pause', system: 'erp', objectRef: 'V-1' });
      await commitTo(store(), [newRequest(workspace), paused, newRequest(other, { decision: 'block' })]);
      const read = await store().notableEntries(store().log, from, [workspace]);
      expect(read.entries).toEqual([
        {
          ...{ index: from + 1, workspace },
          entry: expect.objectContaining({
            decision: 'pause',
            decision_id: paused.leaf.decision_id,
          }),
          runId: null,
          target: { system: 'erp', objectType: 'kontakt ü', objectRef: 'V-1', field: null, operation: null },
        },
      ]);
      expect(read.next).toBe(from + 3);
      expect(await store().notableEntries(store().log, read.next, [workspace])).toEqual({
        ...{ entries: [], next: read.next },
      });
      // A start within a commit gives only later entries.
      const rest = await store().notableEntries(store().log, from + 2, [workspace, other]);
      expect(rest.entries.map(({ index }) => index)).toEqual([from + 2]);
      expect(await store().notableEntries('log-none', 0, [workspace])).toEqual({ entries: [], next: 0 });
    });
  });
};
