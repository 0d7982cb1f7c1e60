/** Waiting for a review: it ends at the next change, has limits, and delays nothing. */
import { Agent, get } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { check, PAUSED } from '../ask.ts';
import type { TestService } from '../start-service.ts';
import { openReviewKit, type ReviewKit } from './reviews-kit.ts';

let kit: ReviewKit;
beforeAll(async () => {
  kit = await openReviewKit({ metricsPort: '0' });
});
afterAll(() => kit.service.stop());

/** Less than the 50 seconds for which most of them wait, unless something ends it. */
vi.setConfig({ testTimeout: 45_000 });

const wait = (id: string, seconds: number, key = kit.service.developmentKey) =>
  kit.call('GET', `/v1/reviews/${id}?wait=${seconds}`, key);

/** Waits until this many waits are held. */
const untilHeld = (count: number, service = kit.service) => expect.poll(() => heldBy(service)).toBe(count);

async function heldBy({ metricsUrl }: TestService): Promise<number> {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  return Number(/^writecheck_review_waits (\d+)$/m.exec(text)?.[1]);
}

async function heldFor1s(review: { readonly id: string }): Promise<boolean> {
  const startedMs = performance.now();
  expect((await wait(review.id, 1)).body.review.state).toBe('open');
  return performance.now() - startedMs > 900;
}

test('a wait ends at the next change, and not at the one that opened the review', async () => {
  const { review } = await kit.opened();
  const waiting = wait(review.id, 50);
  await untilHeld(1);
  // Longer than the notice of its opening takes.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  await untilHeld(1);
  await kit.approve(review);
  expect((await waiting).body.review.state).toBe('approved');
});

test('a comment is a change too', async () => {
  const { review } = await kit.opened();
  const waiting = wait(review.id, 50);
  await untilHeld(1);
  await kit.call('POST', `/v1/reviews/${review.id}/comments`, kit.service.ownerKey, { text: 'why?' });
  expect((await waiting).body.review).toMatchObject({ state: 'open', comments: [{ text: 'why?' }] });
});

test('a key that is revoked while it waits learns nothing more', async () => {
  const { body } = await kit.call('POST', '/v1/keys', kit.service.ownerKey, {
    kind: 'development',
    name: 'gone',
  });
  const decision = await check(kit.service, { ...PAUSED, objectRef: 'V-gone' }, { key: body.secret });
  const opened = await kit.call('POST', '/v1/reviews', body.secret, {
    decision_id: decision.body.decision_id,
  });
  const waiting = wait(opened.body.review.id, 50, body.secret);
  await untilHeld(1);
  await kit.call('DELETE', `/v1/keys/${body.key.id}`, kit.service.ownerKey);
  await kit.approve(opened.body.review);
  const { status, body: told } = await waiting;
  expect([status, told.error?.code]).toEqual([401, 'key_revoked']);
});

test('without a change the wait ends with its time, and a closed review is returned immediately', async () => {
  const { review } = await kit.opened();
  expect(await heldFor1s(review)).toBe(true);
  await kit.reject(review);
  expect((await wait(review.id, 50)).body.review.state).toBe('rejected');
});

test('0 to 50 seconds, and nothing else', async () => {
  const { review } = await kit.opened();
  for (const seconds of ['51', '-1', '1.5', 'x', '']) {
    expect(
      (await kit.call('GET', `/v1/reviews/${review.id}?wait=${seconds}`, kit.service.ownerKey)).status,
    ).toBe(422);
  }
  expect((await wait(review.id, 0)).status).toBe(200);
});

/** Requests that are cut before they get a response. */
function hang(url: string, key: string, count: number): () => void {
  const agent = new Agent({ maxSockets: count });
  const requests = Array.from({ length: count }, () => {
    const request = get(url, { agent, headers: { authorization: `Bearer ${key}` } });
    return request.on('error', () => undefined);
  });
  return () => {
    for (const request of requests) request.destroy();
  };
}

test('a key holds 20 waits; one more returns immediately, and a caller that leaves gives its place back', async () => {
  const { review } = await kit.opened();
  const cut = hang(`${kit.service.url}/v1/reviews/${review.id}?wait=50`, kit.service.developmentKey, 20);
  await untilHeld(20);
  expect((await wait(review.id, 50)).body.review.state).toBe('open');
  expect(await heldBy(kit.service)).toBe(20);
  cut();
  await untilHeld(0);
  expect(await heldFor1s(review)).toBe(true);
});

test('waits delay no check, and stopping ends them', async () => {
  const { review } = await kit.opened();
  const waits = [
    ...Array.from({ length: 20 }, () => wait(review.id, 50)),
    ...Array.from({ length: 20 }, () => wait(review.id, 50, kit.service.ownerKey)),
  ];
  await untilHeld(40);
  const checks = await Promise.all(
    Array.from({ length: 20 }, () => check(kit.service, { system: 'crm', operation: 'x' })),
  );
  expect(checks.every(({ status }) => status === 200)).toBe(true);
  const stopping = kit.service.stop();
  const replies = await Promise.all(waits);
  expect(replies.every(({ status, body }) => status === 200 && body.review.state === 'open')).toBe(true);
  await stopping;
  kit = await openReviewKit({ metricsPort: '0' });
});

test('a thousand waits are held, and checks continue beside them', async () => {
  const own = await openReviewKit({ metricsPort: '0' });
  const { review } = await own.opened();
  const keys = await Promise.all(Array.from({ length: 50 }, () => own.newKey('owner')));
  const cuts = keys.map(({ secret }) =>
    hang(`${own.service.url}/v1/reviews/${review.id}?wait=50`, secret, 20),
  );
  await untilHeld(1_000, own.service);
  expect((await check(own.service, { system: 'crm', operation: 'x' })).status).toBe(200);
  const beyond = await own.call('GET', `/v1/reviews/${review.id}?wait=50`, own.service.developmentKey);
  expect(beyond.body.review.state).toBe('open');
  expect(await heldBy(own.service)).toBe(1_000);
  for (const cut of cuts) cut();
  await own.service.stop();
}, 120_000);
