/** Webhooks cost a check nothing: without an active one nothing reads the log, and secrets stay out of the logs. */
import { expect, test } from 'vitest';
import type { StoredWebhook } from '../src/store/port/webhooks.ts';
import type { Store } from '../src/store/port.ts';
import { shownWebhook } from '../src/webhooks/show-webhook.ts';
import { ask, check, PAUSED } from './ask.ts';
import { startTestService } from './start-service.ts';
import { openReceiver, until } from './webhooks-kit.ts';

test('without an active webhook nothing reads the log or writes for webhooks', async () => {
  const called: string[] = [];
  const watched = new Set([
    ...['notableEntries', 'leaseWebhooks', 'takeEvents', 'settleDeliveries', 'dueDeliveries'],
    ...['changedKeys', 'revisionsAfter', 'expiringReviews'],
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
  // The round that was running may still end, and the lease with it.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  called.length = 0;
  await check(service, PAUSED);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(called.filter((name) => name !== 'leaseWebhooks')).toEqual([]);
  await service.stop();
  await receiver.close();
}, 30_000);

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
}, 30_000);

test('whoever is not an owner sees the origin of a URL alone', () => {
  const webhook: StoredWebhook = {
    workspace: 'ws_1',
    id: 'whk_1',
    version: 1,
    url: 'https://hooks.example.com:8443/path?token=1#x',
    events: ['test'],
    format: 'standard',
    description: null,
    state: 'active',
    because: null,
    signer: 'line',
    rotation: 0,
    rotatedAtMs: null,
    createdAtMs: 0,
  };
  expect(shownWebhook(webhook, null, true).url).toBe(webhook.url);
  expect(shownWebhook(webhook, null, false).url).toBe('https://hooks.example.com:8443');
});
