/** Webhooks over HTTP, on both stores: what is sent, signed, retried, disabled, redelivered and shown. */
import { DAY_MS, HOUR_MS, WEBHOOK_EVENTS } from '@writecheck/contract';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { signUp } from '../ask.ts';
import { newMember } from '../member-kit.ts';
import { pack, type ReviewKit } from '../reviews/reviews-kit.ts';
import {
  deliveriesOf,
  makeWebhook,
  openReceiver,
  openWebhookKit,
  type Received,
  type Receiver,
  until,
} from './webhooks-kit.ts';

const SECOND_MS = 1_000;

const verified = (secret: string, { headers, text }: Received, tolerates = true): unknown => {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const sent = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  const webhook = new Webhook(secret);
  if (tolerates) return webhook.verify(text, sent);
  // A clock that a test moved is outside the library's tolerance; only the signature matters.
  const at = new Date(Number(sent['webhook-timestamp']) * SECOND_MS);
  const own = webhook.sign(sent['webhook-id']!, at, text);
  if (!sent['webhook-signature']!.split(' ').includes(own)) throw new Error('no signature fits');
  return JSON.parse(text);
};

for (const store of ['SQLite', 'PostgreSQL']) {
  // The store's own suite and the 10,000 operations on both stores compare PostgreSQL's results too, at night.
  describe(`on ${store}`, store === 'SQLite' ? {} : { tags: 'nightly' }, () => {
    let kit: ReviewKit;
    let server: TestServer | null = null;
    const receivers: Receiver[] = [];
    const receive = async (): Promise<Receiver> => {
      const receiver = await openReceiver();
      receivers.push(receiver);
      return receiver;
    };
    const call = (method: string, path: string, json?: unknown) =>
      kit.call(method, path, kit.service.ownerKey, json);

    beforeAll(async () => {
      server = store === 'SQLite' ? null : await startTestServer();
      kit = await openWebhookKit(server === null ? {} : { databaseUrl: await server.newServiceDatabase() });
    });
    afterAll(async () => {
      await kit.service.stop();
      await server?.remove();
    });
    afterEach(async () => {
      for (const { id } of (await call('GET', '/v1/webhooks')).body.webhooks)
        await call('DELETE', `/v1/webhooks/${id}`);
      await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
      // Tests and redeliveries are limited by the hour.
      kit.nowMs += 2 * HOUR_MS;
    });

    test('a pause is sent, signed, with its ids, outcome, code and target, and neither value nor evidence', async () => {
      const receiver = await receive();
      const { id, secret } = await makeWebhook(kit, receiver.url, ['decision.paused']);
      kit.nowMs = Date.now();
      const { decisionId } = await kit.pause({
        agentValue: 'SECRET-VALUE',
        controlEvidence: [{ controlId: 'other', source: 'SECRET-SOURCE', result: 'PASS' }],
      });
      const [message] = await receiver.until(1);
      expect(verified(secret, message!)).toMatchObject({
        type: 'decision.paused',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
        data: {
          workspace: kit.service.workspace,
          decisionId,
          decision: 'pause',
          reasonCode: 'CONTROL_EVIDENCE_MISSING',
          target: { system: 'crm', objectType: 'customer', field: 'email', operation: null },
          url: `${kit.service.url.replace('127.0.0.1', 'localhost')}/#/decisions/${decisionId}`,
        },
      });
      expect(message!.text).not.toMatch(/SECRET/);
      expect(message!.headers['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/);
      expect(message!.headers['content-type']).toBe('application/json');
      await until(async () => (await deliveriesOf(kit, id))[0].state === 'delivered', 'delivered');
      expect(await deliveriesOf(kit, id)).toEqual([
        {
          id: message!.headers['webhook-id'],
          type: 'decision.paused',
          at: message!.body.timestamp,
          state: 'delivered',
          attempts: 1,
          status: 200,
          nextAt: null,
        },
      ]);
      expect((await call('GET', `/v1/webhooks/${id}`)).body.webhook).toMatchObject({
        id,
        url: receiver.url,
        events: ['decision.paused'],
        format: 'standard',
        state: 'active',
        lastDelivery: { state: 'delivered' },
      });
    });

    test('every kind of event arrives once, and only for webhooks that request it', async () => {
      const receiver = await receive();
      const paused = await receive();
      kit.nowMs += 2_000;
      await makeWebhook(kit, receiver.url, WEBHOOK_EVENTS);
      await makeWebhook(kit, paused.url, ['decision.paused']);
      kit.nowMs += 2_000;
      const asked = await kit.pause({ runId: 'run-7' });
      const externalRef = 'https://tickets.example.com/7';
      const approved = { ...asked, ...(await kit.open(asked.decisionId, undefined, { externalRef })).body };
      await kit.approve(approved.review);
      const rejected = await kit.opened();
      await kit.reject(rejected.review);
      const cancelled = await kit.opened();
      await kit.call('POST', `/v1/reviews/${cancelled.review.id}/cancel`, kit.service.ownerKey, {});
      const { secret, id: keyId } = await kit.newKey('development', { name: 'a key' });
      await call('DELETE', `/v1/keys/${keyId}`);
      expect(secret).toMatch(/^wck_dev_/);
      await kit.pause({ controlEvidence: [{ controlId: 'approval', source: 'x', result: 'FAIL' }] });
      await kit.applyPolicy([pack({ approval: { assurance: 'attested', review: { identity: 'any' } } })]);
      await kit.applyPolicy([
        pack({
          approval: { assurance: 'attested', review: { identity: 'any', approvals: 1, holdsFor: '2h' } },
        }),
      ]);
      const expiring = await kit.opened();
      await receiver.untilType('review.opened', 4);
      kit.nowMs = Date.parse(expiring.review.openedAt) + 24 * HOUR_MS + SECOND_MS;
      const [over] = await receiver.untilType('review.expired');
      expect(over!.body.data).toMatchObject({ reviewId: expiring.review.id, state: 'expired' });
      for (const type of [
        'review.approved',
        'review.rejected',
        'review.cancelled',
        'decision.blocked',
        'key.created',
        'key.revoked',
      ])
        await receiver.untilType(type);
      await receiver.untilType('policy.applied', 2);
      await receiver.untilType('decision.paused', 4);
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      const counts = Map.groupBy(receiver.received, ({ body }) => body.type);
      expect(Object.fromEntries([...counts].map(([type, all]) => [type, all.length]))).toEqual({
        'decision.paused': 4,
        'decision.blocked': 1,
        'review.opened': 4,
        'review.verdict': 2,
        'review.approved': 1,
        'review.rejected': 1,
        'review.expired': 1,
        'review.cancelled': 1,
        'policy.applied': 2,
        'key.created': 1,
        'key.revoked': 1,
        // Its own and that of the other webhook.
        'webhook.created': 2,
      });
      expect(receiver.ofType('policy.applied').map(({ body }) => body.data.loosened)).toEqual(
        expect.arrayContaining([true, undefined]),
      );
      expect(receiver.ofType('review.approved')[0]!.body.data).toMatchObject({
        reviewId: approved.review.id,
        decisionId: approved.decisionId,
        state: 'approved',
        controls: ['approval'],
        target: { system: 'crm' },
        runId: 'run-7',
        externalRef,
        url: approved.review.url,
      });
      expect(receiver.ofType('decision.paused').map(({ body }) => body.data.runId)).toContain('run-7');
      expect(receiver.ofType('key.created')[0]!.body.data).toEqual({
        workspace: kit.service.workspace,
        by: { kind: 'owner_key', id: expect.stringMatching(/^key_/) },
        keyId,
        keyKind: 'development',
      });
      expect(new Set(paused.received.map(({ body }) => body.type))).toEqual(new Set(['decision.paused']));
    });

    test('people who join, are reset or are disabled are reported by id', async () => {
      const receiver = await receive();
      const events = ['person.disabled', 'person.joined', 'person.reset'];
      await makeWebhook(kit, receiver.url, events);
      const { service } = kit;
      const { id } = await newMember(service, ['reviewer'], kit.nowMs, { name: 'SECRET <!channel>' });
      expect((await call('POST', `/v1/people/${id}/invitation`)).status).toBe(201);
      expect((await call('DELETE', `/v1/people/${id}`)).status).toBe(204);
      await receiver.until(3);
      expect(receiver.received.map(({ body }) => body.type).sort()).toEqual(events);
      const [joined] = receiver.ofType('person.joined');
      expect(joined!.body.data).toEqual({
        workspace: service.workspace,
        personId: id,
        by: { kind: 'person', id },
      });
      expect(receiver.ofType('person.reset')[0]!.body.data.by.kind).toBe('owner_key');
      expect(receiver.received.map(({ text }) => text).join()).not.toContain('SECRET');
    });

    test('an auditor sees the origin of a URL and the deliveries, and changes nothing', async () => {
      const receiver = await receive();
      const { id } = await makeWebhook(kit, receiver.url, ['key.created']);
      const { token } = await newMember(kit.service, ['auditor'], kit.nowMs);
      const { origin } = new URL(receiver.url);
      expect((await kit.call('GET', '/v1/webhooks', token)).body.webhooks[0].url).toBe(origin);
      expect((await kit.call('GET', `/v1/webhooks/${id}`, token)).body.webhook.url).toBe(origin);
      expect((await kit.call('GET', `/v1/webhooks/${id}/deliveries`, token)).status).toBe(200);
      for (const [method, path] of [
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/rotate'],
        ['POST', '/test'],
      ] as const) {
        const { status } = await kit.call(
          method,
          `/v1/webhooks/${id}${path}`,
          token,
          method === 'PATCH' ? {} : undefined,
        );
        expect([method, path, status]).toEqual([method, path, 403]);
      }
    });

    test('a Slack message has the target as text and a link, and no value', async () => {
      const receiver = await receive();
      await makeWebhook(kit, receiver.url, ['review.opened'], { format: 'slack' });
      const { review } = await kit.opened({
        objectRef: '<!channel> \u202e& co',
        agentValue: 'SECRET-VALUE',
      });
      const [message] = await receiver.until(1);
      expect(message!.body.text).toBe(`A write needs your review: ${review.url}`);
      expect(message!.text).toContain('Object: customer &lt;!channel&gt; \\\\u{202e}&amp; co');
      expect(message!.text).not.toContain('SECRET');
      const button = message!.body.blocks.at(-1).elements[0];
      expect(button).toMatchObject({ type: 'button', url: review.url });
    });

    test('a failing endpoint is retried with the same id on the schedule, and the last failure disables it', async () => {
      const receiver = await receive();
      receiver.answer = 500;
      const { id, secret } = await makeWebhook(kit, receiver.url, ['decision.paused']);
      await kit.pause();
      await receiver.until(1);
      const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
      for (const [i, seconds] of waits.entries()) {
        await until(async () => (await deliveriesOf(kit, id))[0].attempts === i + 1, `attempt ${i + 1}`);
        const [delivery] = await deliveriesOf(kit, id);
        expect(delivery).toMatchObject({ state: 'waiting', status: 500 });
        const waitMs = Date.parse(delivery.nextAt) - kit.nowMs;
        expect(waitMs).toBeGreaterThanOrEqual(seconds * SECOND_MS);
        expect(waitMs).toBeLessThanOrEqual(seconds * SECOND_MS * 1.1 + 1);
        kit.nowMs = Date.parse(delivery.nextAt);
        await receiver.until(i + 2);
      }
      await until(async () => (await deliveriesOf(kit, id))[0].state === 'failed', 'failed');
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10);
      for (const message of receiver.received) verified(secret, message, false);
      expect((await call('GET', `/v1/webhooks/${id}`)).body.webhook).toMatchObject({
        state: 'disabled',
        disabledBecause: 'failing',
      });
      // What happened meanwhile is delivered once it is active again.
      receiver.answer = 204;
      await kit.pause();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(receiver.received.length).toBe(10);
      await call('PATCH', `/v1/webhooks/${id}`, { state: 'active' });
      await receiver.until(11);
      // Failed deliveries are sent on request.
      const failed = (await deliveriesOf(kit, id)).find(({ state }) => state === 'failed');
      const again = await call('POST', `/v1/webhooks/${id}/deliveries/${failed.id}/redeliver`);
      expect([again.status, again.body.delivery.id, again.body.delivery.state]).toEqual([
        202,
        failed.id,
        'waiting',
      ]);
      await receiver.until(12);
      expect(receiver.received[11]!.text).toBe(receiver.received[0]!.text);
      expect(receiver.received[11]!.headers['webhook-id']).toBe(failed.id);
    });

    test('Retry-After is honoured, a redirect is a failure, and 410 disables the webhook', async () => {
      const receiver = await receive();
      receiver.answer = { status: 429, headers: { 'retry-after': '3600' } };
      const { id } = await makeWebhook(kit, receiver.url, ['decision.paused']);
      await kit.pause();
      await until(async () => (await deliveriesOf(kit, id))[0]?.attempts === 1, 'first attempt');
      expect(Date.parse((await deliveriesOf(kit, id))[0].nextAt)).toBe(kit.nowMs + HOUR_MS);
      const elsewhere = await receive();
      receiver.answer = { status: 302, headers: { location: elsewhere.url } };
      kit.nowMs += HOUR_MS;
      await until(async () => (await deliveriesOf(kit, id))[0].attempts === 2, 'second attempt');
      expect((await deliveriesOf(kit, id))[0]).toMatchObject({ state: 'waiting', status: 302 });
      expect(elsewhere.received).toEqual([]);
      receiver.answer = 410;
      kit.nowMs += HOUR_MS;
      await until(async () => (await deliveriesOf(kit, id))[0].state === 'failed', 'failed');
      const { body } = await call('GET', `/v1/webhooks/${id}`);
      expect(body.webhook).toMatchObject({ state: 'disabled', disabledBecause: 'gone' });
      const tested = await call('POST', `/v1/webhooks/${id}/test`);
      expect([tested.status, tested.body.error.code]).toEqual([422, 'invalid_request']);
    });

    test('after a rotation both secrets sign for 24 hours', async () => {
      const receiver = await receive();
      const first = await makeWebhook(kit, receiver.url, ['key.created']);
      const rotated = await call('POST', `/v1/webhooks/${first.id}/rotate`);
      expect([rotated.status, rotated.body.webhook.id]).toEqual([200, first.id]);
      const { secret } = rotated.body;
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(secret).not.toBe(first.secret);
      const message = async (count: number) => {
        await call('POST', `/v1/webhooks/${first.id}/test`);
        return (await receiver.untilType('test', count)).at(-1)!;
      };
      kit.nowMs += DAY_MS - SECOND_MS;
      const both = await message(1);
      expect(verified(secret, both, false)).toMatchObject({ type: 'test' });
      expect(verified(first.secret, both, false)).toMatchObject({ type: 'test' });
      kit.nowMs += 2 * SECOND_MS;
      const one = await message(2);
      expect(verified(secret, one, false)).toMatchObject({ type: 'test', data: { webhookId: first.id } });
      expect(() => verified(first.secret, one, false)).toThrow();
    });

    test('a hanging endpoint and a dead one delay no other, and no endpoint has more than 100 in progress', async () => {
      const [hanging, fine] = [await receive(), await receive()];
      hanging.answer = 'hang';
      const slow = await makeWebhook(kit, hanging.url, ['decision.paused']);
      // Nothing listens there, and nobody takes this port later.
      const gone = await makeWebhook(kit, 'http://127.0.0.1:9/', ['decision.paused']);
      await makeWebhook(kit, fine.url, ['decision.paused']);
      for (let i = 0; i < 6; i += 1) await Promise.all(Array.from({ length: 20 }, () => kit.pause()));
      await fine.until(120);
      for (const { id } of [slow, gone]) {
        const all = await call('GET', `/v1/webhooks/${id}/deliveries?limit=200`);
        expect(all.body.deliveries.length).toBe(100);
      }
      expect(hanging.received.length).toBeLessThanOrEqual(8);
      expect(new Set(fine.received.map(({ headers }) => headers['webhook-id'])).size).toBe(120);
      expect(fine.received.length).toBe(120);
    });

    test('events older than 75 hours are dropped and counted, not sent', async () => {
      const receiver = await receive();
      const { id } = await makeWebhook(kit, receiver.url, ['decision.paused']);
      await call('PATCH', `/v1/webhooks/${id}`, { state: 'disabled' });
      const { decisionId: old } = await kit.pause();
      kit.nowMs += 75 * HOUR_MS + SECOND_MS;
      const { decisionId: young } = await kit.pause();
      await call('PATCH', `/v1/webhooks/${id}`, { state: 'active' });
      const [message] = await receiver.until(1);
      expect(message!.body.data.decisionId).toBe(young);
      expect(message!.text).not.toContain(old);
      const states = async () => (await deliveriesOf(kit, id)).map(({ state }) => state).sort();
      await until(async () => !(await states()).includes('waiting'), 'settled');
      expect(await states()).toEqual(['delivered', 'dropped']);
    });

    test('an invalid body is refused with every error, and nothing is created', async () => {
      const hook = 'https://hooks.example.com/';
      for (const [json, pointers] of [
        [{}, ['/url', '/events']],
        [{ url: hook, events: [] }, ['/events']],
        [{ url: hook, events: ['decision.allowed'] }, ['/events']],
        [
          { url: hook, events: ['test'], format: 'xml', description: 'a\u0000b' },
          ['/format', '/description'],
        ],
        [{ url: 'http://hooks.example.com/', events: ['test'] }, ['/url']],
        [{ url: 'https:hooks.example.com', events: ['test'] }, ['/url']],
        [{ url: 'https://10.0.0.1/', events: ['test'] }, ['/url']],
        [{ url: 'https://me@hooks.example.com/', events: ['test'] }, ['/url']],
        [{ url: hook, events: ['test'], state: 'disabled' }, ['/state']],
      ] as const) {
        const { status, body } = await call('POST', '/v1/webhooks', json);
        expect([status, body.error.code]).toEqual([422, 'invalid_request']);
        expect(body.error.details.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
      }
      expect((await call('GET', '/v1/webhooks')).body.webhooks).toEqual([]);
      expect((await call('GET', '/v1/webhooks/whk_%00')).status).toBe(404);
    });

    test('events from before a webhook was created are not sent', async () => {
      const receiver = await receive();
      await kit.pause();
      kit.nowMs += SECOND_MS;
      const { id } = await makeWebhook(kit, receiver.url, ['decision.paused']);
      const { decisionId } = await kit.pause();
      const [message] = await receiver.until(1);
      expect(message!.body.data.decisionId).toBe(decisionId);
      expect((await deliveriesOf(kit, id)).length).toBe(1);
    });

    test('a workspace has at most 10 webhooks, and 60 tests and redeliveries an hour', async () => {
      const receiver = await receive();
      const made: { readonly id: string }[] = [];
      for (let i = 0; i < 10; i += 1) made.push(await makeWebhook(kit, receiver.url, ['key.created']));
      const more = await call('POST', '/v1/webhooks', { url: receiver.url, events: ['key.created'] });
      expect([more.status, more.body.error.code]).toEqual([403, 'plan_limit']);
      for (let i = 0; i < 59; i += 1) {
        expect((await call('POST', `/v1/webhooks/${made[i % 10]!.id}/test`)).status).toBe(202);
      }
      // A waiting delivery would be sent once for both.
      await until(async () => (await deliveriesOf(kit, made[0]!.id))[0].state === 'delivered', 'delivered');
      const [{ id }] = await deliveriesOf(kit, made[0]!.id);
      const path = `/v1/webhooks/${made[0]!.id}/deliveries/${id}/redeliver`;
      expect((await call('POST', path)).status).toBe(202);
      for (const refused of [path, `/v1/webhooks/${made[1]!.id}/test`]) {
        const { status, body, headers } = await call('POST', refused);
        expect([status, body.error.code]).toEqual([429, 'rate_limited']);
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      }
      await receiver.until(60);
    });

    test('deliveries are listed by pages, newest first', async () => {
      const receiver = await receive();
      const { id } = await makeWebhook(kit, receiver.url, ['test']);
      const made: string[] = [];
      for (let i = 0; i < 5; i += 1)
        made.push((await call('POST', `/v1/webhooks/${id}/test`)).body.delivery.id);
      const path = `/v1/webhooks/${id}/deliveries?limit=2`;
      const seen: string[] = [];
      let cursor: string | null = '';
      for (; cursor !== null; ) {
        const { body } = await call('GET', cursor === '' ? path : `${path}&cursor=${cursor}`);
        seen.push(...body.deliveries.map((each: { id: string }) => each.id));
        cursor = body.nextCursor;
        // The cursor reveals nothing about the deliveries of other workspaces.
        expect(cursor ?? seen.at(-1)).toBe(seen.at(-1));
      }
      expect(seen).toEqual(made.reverse());
      const { id: other } = await makeWebhook(kit, receiver.url, ['test']);
      expect((await call('GET', `/v1/webhooks/${other}/deliveries?cursor=${seen[0]}`)).status).toBe(422);
      expect((await call('GET', `${path}&cursor=x`)).status).toBe(422);
    });

    test('another workspace sees, changes and receives nothing', async () => {
      const receiver = await receive();
      const { id } = await makeWebhook(kit, receiver.url, ['decision.paused']);
      const other = await signUp(kit.service, 'other');
      await kit.pause({}, other.developmentKey);
      expect((await kit.call('GET', '/v1/webhooks', other.ownerKey)).body).toEqual({ webhooks: [] });
      for (const [method, path, json] of [
        ['GET', '', undefined],
        ['PATCH', '', {}],
        ['DELETE', '', undefined],
        ['POST', '/rotate', undefined],
        ['POST', '/test', undefined],
        ['GET', '/deliveries', undefined],
        ['POST', '/deliveries/msg_1/redeliver', undefined],
      ] as const) {
        const { status } = await kit.call(method, `/v1/webhooks/${id}${path}`, other.ownerKey, json);
        expect([method, path, status]).toEqual([method, path, 404]);
        const agent = await kit.call(method, `/v1/webhooks/${id}${path}`, kit.service.developmentKey, json);
        expect([agent.status, agent.body.error.code]).toEqual([403, 'insufficient_scope']);
      }
      const { decisionId } = await kit.pause();
      const [message] = await receiver.until(1);
      expect(message!.body.data.decisionId).toBe(decisionId);
    });
  });
}
