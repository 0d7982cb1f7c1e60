/** Waiting for a review: it ends at the next change, has limits, and holds nothing up. */
import { Agent, get } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { check, PAUSED } from './ask.ts';
import { openReviewKit, type ReviewKit } from './reviews-kit.ts';

let kit: ReviewKit;
beforeAll(async () => {
  kit = await openReviewKit();
});
afterAll(() => kit.service.stop());

const wait = (id: string, seconds: number, key = kit.service.developmentKey) =>
  kit.call('GET', `/v1/reviews/${id}?wait=${seconds}`, key);

async function timed<T>(run: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const startedMs = performance.now();
  const value = await run();
  return { ms: performance.now() - startedMs, value };
}

test('a wait ends at the next change, and not at the one that opened the review', async () => {
  const { review } = await kit.opened();
  const waiting = timed(() => wait(review.id, 30));
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  await kit.approve(review);
  const { ms, value } = await waiting;
  expect(value.body.review.state).toBe('approved');
  expect(ms).toBeGreaterThan(1_000);
  expect(ms).toBeLessThan(10_000);
});

test('a comment is a change too', async () => {
  const { review } = await kit.opened();
  const waiting = wait(review.id, 30);
  await new Promise((resolve) => setTimeout(resolve, 50));
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
  const waiting = wait(opened.body.review.id, 30, body.secret);
  await new Promise((resolve) => setTimeout(resolve, 200));
  await kit.call('DELETE', `/v1/keys/${body.key.id}`, kit.service.ownerKey);
  await kit.approve(opened.body.review);
  const { status, body: told } = await waiting;
  expect([status, told.error?.code]).toEqual([401, 'key_revoked']);
});

test('without a change the wait ends with its time, and a closed review is told at once', async () => {
  const { review } = await kit.opened();
  const { ms, value } = await timed(() => wait(review.id, 1));
  expect(value.body.review.state).toBe('open');
  expect(ms).toBeGreaterThan(900);
  await kit.reject(review);
  expect((await timed(() => wait(review.id, 50))).ms).toBeLessThan(5_000);
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

test('20 waits of a key are held; one more is answered at once, and a caller that goes gives its place back', async () => {
  const { review } = await kit.opened();
  const cut = hang(`${kit.service.url}/v1/reviews/${review.id}?wait=50`, kit.service.developmentKey, 20);
  await new Promise((resolve) => setTimeout(resolve, 800));
  expect((await timed(() => wait(review.id, 20))).ms).toBeLessThan(5_000);
  cut();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect((await timed(() => wait(review.id, 1))).ms).toBeGreaterThan(900);
});

test('waits hold up no check, and stopping ends them', async () => {
  const { review } = await kit.opened();
  const waits = [
    ...Array.from({ length: 20 }, () => wait(review.id, 50)),
    ...Array.from({ length: 20 }, () => wait(review.id, 50, kit.service.ownerKey)),
  ];
  await new Promise((resolve) => setTimeout(resolve, 800));
  const checks = await timed(() =>
    Promise.all(Array.from({ length: 20 }, () => check(kit.service, { system: 'crm', operation: 'x' }))),
  );
  expect(checks.value.every(({ status }) => status === 200)).toBe(true);
  const stopping = timed(() => kit.service.stop());
  const replies = await Promise.all(waits);
  expect(replies.every(({ status, body }) => status === 200 && body.review.state === 'open')).toBe(true);
  expect((await stopping).ms).toBeLessThan(8_000);
  kit = await openReviewKit();
});

test('a thousand waits are held, and checks go on beside them', async () => {
  const own = await openReviewKit({ metricsPort: '0' });
  const { review } = await own.opened();
  const keys = await Promise.all(Array.from({ length: 50 }, () => own.newKey('owner')));
  const cuts = keys.map(({ secret }) =>
    hang(`${own.service.url}/v1/reviews/${review.id}?wait=50`, secret, 20),
  );
  const held = async () => {
    const text = await (await fetch(`${own.service.metricsUrl}/metrics`)).text();
    return Number(/^writecheck_review_waits (\d+)$/m.exec(text)?.[1]);
  };
  for (const untilMs = performance.now() + 20_000; performance.now() < untilMs && (await held()) < 1_000; ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await held()).toBe(1_000);
  const { ms, value } = await timed(() => check(own.service, { system: 'crm', operation: 'x' }));
  expect(value.status).toBe(200);
  expect(ms).toBeLessThan(2_000);
  const beyond = await timed(() =>
    own.call('GET', `/v1/reviews/${review.id}?wait=20`, own.service.developmentKey),
  );
  expect(beyond.ms).toBeLessThan(10_000);
  for (const cut of cuts) cut();
  await own.service.stop();
}, 60_000);
