/** Webhooks cost a check nothing: without an active one nothing reads the log, and logs contain no secrets. */

import type { Store } from '@writecheck/store/port';
import { expect, test } from 'vitest';
import { ask, check, checkAll, PAUSED } from '../ask.ts';
import { startTestService } from '../start-service.ts';
import { openReceiver, until } from './webhooks-kit.ts';

test('without an active webhook nothing reads the log or writes for webhooks', {
  tags: 'nightly',
  timeout: 30_000,
}, async () => {
  const called: string[] = [];
  const watched = new Set([
    ...['notableEntries', 'leaseWebhooks', 'takeEvents', 'settleDeliveries', 'dueDeliveries'],
  ]);
  const throughStore = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        if (watched.has(String(name))) called.push(String(name));
        return Reflect.get(target, name);
      },
    });
  const service = await startTestService({ throughStore, settings: { webhookAllow: '127.0.0.1' } });
  await check(service, PAUSED);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(called).toEqual([]);

  const receiver = await openReceiver();
  const json = { url: receiver.url, events: ['decision.paused'] };
  const made = await ask(`${service.url}/v1/webhooks`, { key: service.ownerKey, json });
  await check(service, PAUSED);
  await receiver.until(1);
  expect(called).toContain('notableEntries');
  const path = `${service.url}/v1/webhooks/${made.body.webhook.id}`;
  await ask(path, { method: 'PATCH', key: service.ownerKey, json: { state: 'disabled' } });
  // The running round may still end, and its lease with it.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  called.length = 0;
  await check(service, PAUSED);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(called.filter((name) => name !== 'leaseWebhooks')).toEqual([]);
  await service.stop();
  await receiver.close();
});

test('the log has neither the URL of a webhook nor its secret', async () => {
  const service = await startTestService({ settings: { webhookAllow: '127.0.0.1' } });
  const receiver = await openReceiver();
  receiver.answer = 410;
  const json = { url: receiver.url, events: ['decision.paused'] };
  const made = await ask(`${service.url}/v1/webhooks`, { key: service.ownerKey, json });
  await check(service, PAUSED);
  await until(() => service.logged().includes('a webhook was disabled'), 'disabled');
  const logged = service.logged();
  expect(logged).toContain(made.body.webhook.id);
  for (const secret of ['token=hidden', '/hook', made.body.secret.slice('whsec_'.length)])
    expect(logged).not.toContain(secret);
  await service.stop();
  await receiver.close();
});

test('an endpoint 1,000 events behind catches up, 100 at a time, and delays no other', async () => {
  const service = await startTestService({ settings: { webhookAllow: '127.0.0.1' } });
  const [behind, beside] = [await openReceiver(), await openReceiver()];
  const hook = async (url: string, events: readonly string[]) => {
    const json = { url, events };
    const { body } = await ask(`${service.url}/v1/webhooks`, { key: service.ownerKey, json });
    return `${service.url}/v1/webhooks/${body.webhook.id}`;
  };
  const change = (path: string, json: object) => ask(path, { method: 'PATCH', key: service.ownerKey, json });
  const slow = await hook(behind.url, ['decision.paused']);
  await change(slow, { state: 'disabled' });
  for (let i = 0; i < 20; i += 1)
    for (const { status } of await checkAll(service.url, service.liveKey, Array(50).fill(PAUSED)))
      expect(status).toBe(200);
  await hook(beside.url, ['key.created']);
  await change(slow, { state: 'active' });
  await behind.until(100);
  const startedMs = performance.now();
  await ask(`${service.url}/v1/keys`, { key: service.ownerKey, json: { kind: 'live', name: 'new' } });
  await beside.until(1);
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  expect(behind.received.length).toBeLessThan(1_000);
  for (let received = 0; received < 1_000; received = behind.received.length) {
    const { deliveries } = (await ask(`${slow}/deliveries?limit=200`, { key: service.ownerKey })).body;
    const waiting = deliveries.filter(({ state }: { state: string }) => state === 'waiting');
    expect(waiting.length).toBeLessThanOrEqual(100);
    await behind.until(Math.min(1_000, received + 200));
  }
  expect(new Set(behind.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1_000);
  expect(behind.received.length).toBe(1_000);
  await service.stop();
  await Promise.all([behind.close(), beside.close()]);
}, 120_000);
