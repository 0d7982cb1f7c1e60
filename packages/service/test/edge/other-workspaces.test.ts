/** Another workspace's data looks the same as data that does not exist, on every route that takes an id. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allRoutes } from '../../src/edge/all-routes.ts';
import type { ServiceParts } from '../../src/parts/service-parts.ts';
import { ALLOWED, ask, check, PAUSED, type Reply, signUp } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
let theirs: {
  readonly freeze: string;
  readonly decision: string;
  readonly key: string;
  readonly review: string;
  readonly person: string;
  readonly webhook: string;
};
let mine: Awaited<ReturnType<typeof signUp>>;

beforeAll(async () => {
  service = await startTestService();
  const decision = await check(service, ALLOWED, { key: service.liveKey });
  const { body } = await ask(`${service.url}/v1/keys`, { key: service.ownerKey });
  const paused = await check(service, PAUSED, { key: service.liveKey });
  const opened = await ask(`${service.url}/v1/reviews`, {
    key: service.liveKey,
    json: { decision_id: paused.body.decision_id },
  });
  const invited = await ask(`${service.url}/v1/people`, {
    key: service.ownerKey,
    json: { name: 'Ada', email: 'ada@example.com', roles: ['reviewer'] },
  });
  const hooked = await ask(`${service.url}/v1/webhooks`, {
    key: service.ownerKey,
    json: { url: 'https://hooks.example.com/', events: ['test'] },
  });
  const frozen = await ask(`${service.url}/v1/freezes`, {
    key: service.ownerKey,
    json: { reason: 'x', scope: { system: 'nothing' } },
  });
  theirs = {
    freeze: frozen.body.freeze.id,
    webhook: hooked.body.webhook.id,
    person: invited.body.person.id,
    review: opened.body.review.id,
    decision: decision.body.decision_id,
    key: body.keys.find(({ kind }: { kind: string }) => kind === 'development').id,
  };
  await ask(`${service.url}/v1/policies`, {
    method: 'PUT',
    key: service.ownerKey,
    json: { documents: [{ kind: 'Profile', id: 'p', require: ['identity'] }] },
  });
  mine = await signUp(service);
});
afterAll(() => service.stop());

const WAYS: { readonly [route: string]: (id: string, key: string) => Promise<Reply> } = {
  'GET /v1/decisions/{id}': (id, key) => ask(`${service.url}/v1/decisions/${id}`, { key }),
  'GET /v1/decisions/{id}/receipt': (id, key) => ask(`${service.url}/v1/decisions/${id}/receipt`, { key }),
  'POST /v1/decisions/{id}/redeem': (id) =>
    ask(`${service.url}/v1/decisions/${id}/redeem`, { key: mine.developmentKey, json: {} }),
  'POST /v1/decisions/{id}/outcome': (id) =>
    ask(`${service.url}/v1/decisions/${id}/outcome`, { key: mine.developmentKey, json: { result: 'done' } }),
  'GET /v1/policies/revisions/{revision}': (id, key) =>
    ask(
      `${service.url}/v1/policies/revisions/${id.startsWith('key_0') ? 7 : id.startsWith('key_') ? 1 : id}`,
      {
        key,
      },
    ),
  'GET /v1/reviews/{id}': (id, key) => ask(`${service.url}/v1/reviews/${id}`, { key }),
  'POST /v1/reviews/{id}/verdicts': (id, key) =>
    ask(`${service.url}/v1/reviews/${id}/verdicts`, {
      key,
      json: { verdict: 'approve', intentDigest: 'sha256:x' },
    }),
  'DELETE /v1/reviews/{id}/verdicts/mine': (id, key) =>
    ask(`${service.url}/v1/reviews/${id}/verdicts/mine`, { method: 'DELETE', key }),
  'POST /v1/reviews/{id}/cancel': (id, key) =>
    ask(`${service.url}/v1/reviews/${id}/cancel`, { key, json: {} }),
  'POST /v1/reviews/{id}/comments': (id, key) =>
    ask(`${service.url}/v1/reviews/${id}/comments`, { key, json: { text: 'x' } }),
  'PATCH /v1/people/{id}': (id, key) =>
    ask(`${service.url}/v1/people/${id}`, { method: 'PATCH', key, json: { name: 'x' } }),
  'DELETE /v1/people/{id}': (id, key) => ask(`${service.url}/v1/people/${id}`, { method: 'DELETE', key }),
  'POST /v1/people/{id}/invitation': (id, key) =>
    ask(`${service.url}/v1/people/${id}/invitation`, { method: 'POST', key }),
  'GET /v1/freezes/{id}': (id, key) => ask(`${service.url}/v1/freezes/${id}`, { key }),
  'POST /v1/freezes/{id}/lift': (id, key) =>
    ask(`${service.url}/v1/freezes/${id}/lift`, { key, json: { reason: 'x' } }),
  'GET /v1/limits/{id}': (id, key) => ask(`${service.url}/v1/limits/${id}`, { key }),
  'POST /v1/limits/{id}/corrections': (id, key) =>
    ask(`${service.url}/v1/limits/${id}/corrections`, { key, json: { group: [], amount: 1, reason: 'x' } }),
  'GET /v1/webhooks/{id}': (id, key) => ask(`${service.url}/v1/webhooks/${id}`, { key }),
  'PATCH /v1/webhooks/{id}': (id, key) =>
    ask(`${service.url}/v1/webhooks/${id}`, { method: 'PATCH', key, json: {} }),
  'DELETE /v1/webhooks/{id}': (id, key) => ask(`${service.url}/v1/webhooks/${id}`, { method: 'DELETE', key }),
  'POST /v1/webhooks/{id}/rotate': (id, key) =>
    ask(`${service.url}/v1/webhooks/${id}/rotate`, { method: 'POST', key }),
  'POST /v1/webhooks/{id}/test': (id, key) =>
    ask(`${service.url}/v1/webhooks/${id}/test`, { method: 'POST', key }),
  'GET /v1/webhooks/{id}/deliveries': (id, key) =>
    ask(`${service.url}/v1/webhooks/${id}/deliveries`, { key }),
  'POST /v1/webhooks/{id}/deliveries/{delivery}/redeliver': (id, key) =>
    ask(`${service.url}/v1/webhooks/${id}/deliveries/msg_1/redeliver`, { method: 'POST', key }),
  'DELETE /v1/keys/{id}': (id, key) => ask(`${service.url}/v1/keys/${id}`, { method: 'DELETE', key }),
  'POST /v1/keys/{id}/rotate': (id, key) => ask(`${service.url}/v1/keys/${id}/rotate`, { key, json: {} }),
};

test('every route that takes an id is tested here', () => {
  const withId = allRoutes({} as ServiceParts)
    .filter(({ path }) => path.includes('{'))
    .map(({ method, path }) => `${method} ${path}`);
  expect(Object.keys(WAYS).sort()).toEqual(withId.sort());
});

test.each(Object.entries(WAYS))('%s', async (route, way) => {
  const [prefix, id] = route.includes('decisions')
    ? ['dec', theirs.decision]
    : route.includes('reviews')
      ? ['rev', theirs.review]
      : route.includes('webhooks')
        ? ['whk', theirs.webhook]
        : route.includes('freezes')
          ? ['frz', theirs.freeze]
          : ['key', theirs.key];
  const foreign = await way(id, mine.ownerKey);
  const unknown = await way(`${prefix}_${'0'.repeat(32)}`, mine.ownerKey);
  const garbage = await way('..%2F..', mine.ownerKey);
  const same = ({ status, body }: Reply) => ({ status, ...body, request_id: '', traceId: '', timestamp: '' });
  expect(foreign.status).toBe(404);
  expect(same(foreign)).toEqual(same(unknown));
  expect(same(garbage)).toEqual(same(unknown));
});

test('lists, policies and usage show nothing of another workspace', async () => {
  const read = async (path: string) => (await ask(service.url + path, { key: mine.ownerKey })).body;
  expect((await read('/v1/decisions')).decisions).toEqual([]);
  expect(await read('/v1/policies')).toEqual({ revision: 0, digest: null, documents: [] });
  expect((await read('/v1/policies/revisions')).revisions).toEqual([]);
  expect((await read('/v1/usage')).used).toBe(0);
  expect(JSON.stringify(await read('/v1/keys'))).not.toContain(theirs.key);
  const back = await ask(`${service.url}/v1/policies/rollback`, {
    key: mine.ownerKey,
    json: { revision: 1 },
  });
  expect([back.status, back.body.error.code]).toEqual([404, 'not_found']);
});

test('an idempotency key of another workspace is another key', async () => {
  const headers = { 'idempotency-key': 'shared-name' };
  const first = await check(service, ALLOWED, { key: service.liveKey, headers });
  const second = await check(service, ALLOWED, { key: mine.developmentKey, headers });
  expect(second.headers.get('idempotency-replayed')).toBeNull();
  expect(second.body.decision_id).not.toBe(first.body.decision_id);
});

test('a checking key sees the decisions it asked for, and no others of its workspace', async () => {
  const own = await check(service, ALLOWED, { key: service.developmentKey });
  const read = (id: string, key: string) => ask(`${service.url}/v1/decisions/${id}`, { key });
  expect((await read(own.body.decision_id, service.developmentKey)).body.response).toEqual(own.body);
  expect((await read(theirs.decision, service.developmentKey)).status).toBe(404);
  expect((await read(theirs.decision, service.ownerKey)).status).toBe(200);
  const listed = await ask(`${service.url}/v1/decisions`, { key: service.developmentKey });
  expect(listed.body.decisions.map(({ decision_id }: { decision_id: string }) => decision_id)).toEqual([
    own.body.decision_id,
  ]);
});
