/** Nothing is delivered for a suspended workspace; what waited is delivered once it is resumed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ALLOWED, PAUSED } from '../ask.ts';
import type { ReviewKit } from '../reviews/reviews-kit.ts';
import { makeWebhook, openReceiver, openWebhookKit, type Receiver } from './webhooks-kit.ts';

let kit: ReviewKit;
let receiver: Receiver;
beforeAll(async () => {
  kit = await openWebhookKit();
  receiver = await openReceiver();
});
afterAll(async () => {
  await receiver.close();
  await kit.service.stop();
});

/** The deliverer looks every second. */
const SEVERAL_ROUNDS_MS = 3_000;

test('a suspended workspace gets no event, neither a new one nor one that waited', async () => {
  const { service, call } = kit;
  await makeWebhook(kit, receiver.url, ['decision.paused']);
  const pause = () => call('POST', '/v1/check-write', service.liveKey, PAUSED);
  await pause();
  await receiver.untilType('decision.paused', 1);
  // It fails, and waits for another attempt.
  receiver.answer = 500;
  await pause();
  await receiver.untilType('decision.paused', 2);
  receiver.answer = 200;
  await pause();
  const change = {
    workspace: service.workspace,
    by: { kind: 'operator', id: 'o' } as const,
    atMs: await service.store.newestAtMs(),
  };
  await service.store.changeWorkspaceState(change, 'suspended');
  // Those that were being sent have arrived by then, and the one that failed is due again.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const before = receiver.received.length;
  kit.nowMs += 6_000;
  await new Promise((resolve) => setTimeout(resolve, SEVERAL_ROUNDS_MS));
  expect(receiver.received).toHaveLength(before);
  expect((await call('POST', '/v1/check-write', service.liveKey, ALLOWED)).status).toBe(403);
  await service.store.changeWorkspaceState(change, 'active');
  await receiver.untilType('decision.paused', 4);
});
