/**
 * Every code of the catalogue occurs over HTTP, with its status, its headers and an envelope that is not a decision.
 */
import { ERROR_CATALOGUE, type ErrorCode } from '@writecheck/contract';
import { type Store, StoreUnavailable } from '@writecheck/store/port';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { erase } from '../../../store/test/erase.ts';
import { createSecret } from '../../src/features/keys/key-format.ts';
import { ALLOWED, ask, check, checkAll, PAUSED, type Reply, signUp } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

let nowMs = Date.UTC(2026, 10, 15, 12);
let service: TestService;
let closed: TestService;
let hosted: TestService;
let broken: TestService;
let fault: 'none' | 'unavailable' | 'bug' | 'slow' | 'stuck' = 'none';
const stuck = { begun: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() };

/** Nothing listens there. */
const NO_PROVIDER = { oidcIssuer: 'http://127.0.0.1:9', oidcClientId: 'x', oidcClientSecret: 'y' };

beforeAll(async () => {
  [service, closed, hosted, broken] = await Promise.all([
    startTestService({ clock: () => nowMs, settings: { ratePerKey: '1000' } }),
    startTestService({ settings: { signup: 'closed', ratePerKey: '1', ...NO_PROVIDER } }),
    startTestService({ settings: { plan: 'hosted' } }),
    startTestService({ throughStore: faulty }),
  ]);
});
afterAll(() => Promise.all([service, closed, hosted, broken].map((each) => each.stop())));

/** A store whose commit and usage fail as the test says. */
function faulty(store: Store): Store {
  return {
    ...store,
    commit: async (...asked) => {
      if (fault === 'unavailable') throw new StoreUnavailable('full', 'the disk is full');
      if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, 1_500));
      if (fault === 'stuck') {
        stuck.begun.resolve();
        await stuck.released.promise;
      }
      return store.commit(...asked);
    },
    usage: async (workspace, period) => {
      if (fault === 'bug') throw new TypeError('SELECT secret FROM /var/lib');
      return store.usage(workspace, period);
    },
  };
}

const post = (path: string, json: unknown, key = service.ownerKey) => ask(service.url + path, { key, json });
const raw = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  ask(`${service.url}/v1/check-write`, {
    method: 'POST',
    key: service.developmentKey,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });

const PROFILE = { kind: 'Profile', id: 'p', require: ['identity'] };

const WAYS: { readonly [code in ErrorCode]?: () => Promise<Reply> } = {
  malformed_json: () => raw('{"system":"a","system":"b"}'),
  missing_key: () => ask(`${service.url}/v1/check-write`, { json: ALLOWED }),
  invalid_key: () => check(service, ALLOWED, { key: createSecret('live') }),
  key_revoked: async () => {
    const { body } = await post('/v1/keys', { kind: 'development', name: 'gone' });
    await ask(`${service.url}/v1/keys/${body.key.id}`, { method: 'DELETE', key: service.ownerKey });
    return check(service, ALLOWED, { key: body.secret });
  },
  key_expired: async () => {
    const expiresAt = new Date(nowMs + 1_000).toISOString();
    const { body } = await post('/v1/keys', { kind: 'development', name: 'short', expiresAt });
    expect((await check(service, PAUSED, { key: body.secret })).status).toBe(200);
    nowMs += 1_000;
    return check(service, ALLOWED, { key: body.secret });
  },
  insufficient_scope: () => check(service, ALLOWED, { key: service.ownerKey }),
  plan_limit: () =>
    ask(`${hosted.url}/v1/keys`, { key: hosted.ownerKey, json: { kind: 'live', name: 'no' } }),
  workspace_suspended: async () => {
    const { workspace, developmentKey } = await signUp(service);
    const by = { kind: 'operator', id: 'o' } as const;
    const change = { workspace: workspace.id, by, atMs: nowMs };
    await service.store.changeWorkspaceState(change, 'suspended');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return check(service, ALLOWED, { key: developmentKey });
  },
  signup_closed: () => ask(`${closed.url}/v1/workspaces`, { json: { name: 'x' } }),
  not_found: () => ask(`${service.url}/v2/anything`),
  method_not_allowed: () => ask(`${service.url}/v1/check-write`),
  request_in_flight: async () => {
    fault = 'stuck';
    const headers = { 'idempotency-key': 'slow' };
    const first = check(broken, PAUSED, { headers });
    await stuck.begun.promise;
    const second = await check(broken, PAUSED, { headers });
    fault = 'none';
    stuck.released.resolve();
    await first;
    return second;
  },
  idempotency_key_expired: async () => {
    const headers = { 'idempotency-key': 'late' };
    expect((await check(service, ALLOWED, { headers })).body.decision).toBe('allow');
    nowMs += 5 * 60_000;
    return check(service, ALLOWED, { headers });
  },
  last_owner_key: async () => {
    const { body } = await ask(`${service.url}/v1/keys`, { key: service.ownerKey });
    const owner = body.keys.find((key: { kind: string }) => key.kind === 'owner');
    return ask(`${service.url}/v1/keys/${owner.id}`, { method: 'DELETE', key: service.ownerKey });
  },
  key_not_active: async () => {
    const { body } = await post('/v1/keys', { kind: 'development', name: 'rotated' });
    expect((await post(`/v1/keys/${body.key.id}/rotate`, {})).status).toBe(201);
    return post(`/v1/keys/${body.key.id}/rotate`, {});
  },
  loosening_unconfirmed: async () => {
    const put = (documents: unknown[]) =>
      ask(`${service.url}/v1/policies`, { method: 'PUT', key: service.ownerKey, json: { documents } });
    expect((await put([PROFILE])).status).toBe(200);
    return put([]);
  },
  revision_conflict: () =>
    ask(`${service.url}/v1/policies`, {
      method: 'PUT',
      key: service.ownerKey,
      headers: { 'if-match': '"sha256:other"' },
      json: { documents: [] },
    }),
  body_too_large: () => raw(`{"system":"${'x'.repeat(65 * 1024)}"}`),
  unsupported_media_type: () => raw(JSON.stringify(ALLOWED), { 'content-type': 'text/plain' }),
  invalid_intent: () => check(service, { system: 'crm' }),
  unknown_member: () => check(service, { ...ALLOWED, required_controls: [] }),
  unsupported_schema_version: () => check(service, { ...ALLOWED, schemaVersion: 'write_intent.v2' }),
  idempotency_key_reused: async () => {
    const headers = { 'idempotency-key': 'reused' };
    await check(service, PAUSED, { headers });
    return check(service, ALLOWED, { headers });
  },
  invalid_policy: () =>
    ask(`${service.url}/v1/policies`, {
      method: 'PUT',
      key: service.ownerKey,
      json: { documents: [{ kind: 'Profil', id: 'x' }] },
    }),
  invalid_request: () => post('/v1/keys', { kind: 'development' }),
  quota_exceeded: async () => {
    for (let round = 0; round < 20; round += 1) {
      await checkAll(service.url, service.developmentKey, Array(50).fill(PAUSED));
      nowMs += 1_000;
    }
    return check(service, ALLOWED);
  },
  rate_limited: async () => {
    const replies = await Promise.all([1, 2, 3].map(() => check(closed, PAUSED)));
    return replies.find(({ status }) => status === 429)!;
  },
  internal_error: async () => {
    fault = 'bug';
    const reply = await ask(`${broken.url}/v1/usage`, { key: broken.ownerKey });
    fault = 'none';
    return reply;
  },
  overloaded: async () => {
    // More than may wait: 128 run, and one workspace may let 32 MiB wait.
    const large = 'x'.repeat(16_000);
    const intent = { ...PAUSED, objectRef: large, agentValue: large, authorityValue: large };
    fault = 'slow';
    const asked = Array.from({ length: 800 }, () => check(broken, intent, { key: broken.liveKey }));
    const refused = await Promise.any(
      asked.map(async (reply) =>
        (await reply).body.error?.code === 'overloaded' ? reply : Promise.reject(await reply),
      ),
    );
    fault = 'none';
    expect((await Promise.all(asked)).some(({ status }) => status === 200)).toBe(true);
    return refused;
  },
  store_unavailable: async () => {
    fault = 'unavailable';
    const reply = await check(broken, ALLOWED);
    fault = 'none';
    return reply;
  },
  not_redeemable: async () => redeem((await check(service, PAUSED, { key: service.liveKey })).body),
  already_redeemed: async () => {
    const { body } = await check(service, ALLOWED, { key: service.liveKey });
    await redeem(body);
    return redeem(body);
  },
  decision_erased: async () => {
    const { body } = await check(service, ALLOWED, { key: service.liveKey });
    const { store, workspace } = service;
    await erase(store, { workspace, decisionIds: [body.decision_id] });
    return ask(`${service.url}/v1/decisions/${body.decision_id}`, { key: service.ownerKey });
  },
  outcome_recorded: async () => {
    const { body } = await check(service, ALLOWED, { key: service.liveKey });
    const report = (result: string) =>
      ask(`${service.url}/v1/decisions/${body.decision_id}/outcome`, {
        key: service.liveKey,
        json: { result },
      });
    await report('done');
    return report('failed');
  },
  run_in_progress: async () => {
    const run = () => post('/v1/policies/impact', { current: true });
    const both = await Promise.all([run(), run()]);
    return both.find(({ status }) => status !== 200)!;
  },
  not_reviewable: async () => {
    const { body } = await check(service, ALLOWED, { key: service.liveKey });
    return post('/v1/reviews', { decision_id: body.decision_id }, service.liveKey);
  },
  review_closed: () => reviewed({ a: ANYBODY }, REJECT, {}),
  already_voted: () => reviewed({ a: ANYBODY, b: reviewedBy({}) }, {}, REJECT),
  already_asked: async () => {
    const { developmentKey } = await signUp(service);
    const intent = { system: 'crm', operation: 'x', requiredControls: ['a'] };
    const { body } = await check(service, intent, { key: developmentKey });
    const asked = { decision_id: body.decision_id, onBehalfOf: 'ada@example.com' };
    expect((await post('/v1/reviews', asked, developmentKey)).status).toBe(201);
    return post('/v1/reviews', { ...asked, onBehalfOf: 'bob@example.com' }, developmentKey);
  },
  not_a_reviewer: () => reviewed({ a: reviewedBy({ groups: ['finance'] }) }, {}),
  email_taken: async () => {
    const person = { name: 'Ada', email: 'ada@example.com', roles: ['reviewer'] };
    await post('/v1/people', person);
    return post('/v1/people', person);
  },
  provider_unavailable: () =>
    ask(`${closed.url}/v1/sessions/oidc/start?workspace=w&challenge=${'A'.repeat(43)}`),
  identity_too_weak: () => reviewed({ a: reviewedBy({}) }, {}),
  assertion_invalid: () => {
    const assertion = { id: 'a', clientDataJSON: 'a', authenticatorData: 'a', signature: 'a' };
    return reviewed({ a: ANYBODY }, { assertion });
  },
  clock_behind: async () => {
    await check(service, PAUSED, { key: service.liveKey });
    nowMs -= 61_000;
    const reply = await check(service, ALLOWED, { key: service.liveKey });
    nowMs += 61_000;
    return reply;
  },
  clock_ahead: async () => {
    let aheadMs = 0;
    const ahead = await startTestService({ clock: () => nowMs + aheadMs, uptime: () => 0 });
    aheadMs = 600_000;
    const reply = await check(ahead, ALLOWED);
    await ahead.stop();
    return reply;
  },
};

/** A review of a new workspace with this control pack, and what its owner then does with it. */
async function reviewed(controls: object, ...said: readonly object[]): Promise<Reply> {
  const { ownerKey, developmentKey } = await signUp(service);
  const documents = [{ kind: 'ControlPack', id: 'pack', controls }];
  await ask(`${service.url}/v1/policies`, { method: 'PUT', key: ownerKey, json: { documents } });
  const intent = { system: 'crm', operation: 'x', requiredControls: Object.keys(controls) };
  const { body } = await check(service, intent, { key: developmentKey });
  const opened = await post('/v1/reviews', { decision_id: body.decision_id }, developmentKey);
  const { id, intentDigest } = opened.body.review;
  let last = opened;
  for (const verdict of said) {
    const json = { verdict: 'approve', intentDigest, ...verdict };
    last = await post(`/v1/reviews/${id}/verdicts`, json, ownerKey);
  }
  return last;
}

const reviewedBy = (review: object) => ({ assurance: 'attested', review });
const ANYBODY = reviewedBy({ identity: 'any' });
const REJECT = { verdict: 'reject', comment: 'no' };

const redeem = ({ decision_id, intentDigest }: { decision_id: string; intentDigest: string }) =>
  ask(`${service.url}/v1/decisions/${decision_id}/redeem`, { key: service.liveKey, json: { intentDigest } });

const NOT_YET: { readonly [code in ErrorCode]?: string } = {
  not_a_member: 'needs an identity provider, which `oidc-over-http.test.ts` has',
  self_review: 'only people can ask and review at once, and none can sign in yet',
};

test('every code of the catalogue has a test here, or a reason why not', () => {
  const told = [...Object.keys(WAYS), ...Object.keys(NOT_YET)].sort();
  expect(told).toEqual(Object.keys(ERROR_CATALOGUE).sort());
});

test.each(Object.entries(WAYS))('%s', async (code, way) => {
  const reply = await way();
  const { status, title } = ERROR_CATALOGUE[code as ErrorCode];
  expect(reply.body.error?.code, reply.text).toBe(code);
  expect(reply.status).toBe(status);
  expect(reply.headers.get('content-type')).toBe('application/problem+json');
  expect(reply.body).toMatchObject({
    title,
    status,
    success: false,
    allowed: false,
    failClosed: true,
    request_id: reply.headers.get('x-request-id'),
  });
  expect(reply.body.type).toBeTypeOf('string');
  expect(reply.body.detail).toBe(reply.body.error.message);
  expect(reply.body.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(Date.parse(reply.body.timestamp)).not.toBeNaN();
  expect(reply.body).not.toHaveProperty('decision');
  // Lower case, no full stop, and no internals.
  expect(reply.body.error.message).toMatch(/^[^A-Z].*[^.]$/s);
  expect(reply.text).not.toMatch(/SELECT|node_modules|\/src\/|at \w+ \(/);
  if (status === 401) expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
  if (status === 405) expect(reply.headers.get('allow')).toBe('OPTIONS, POST');
  if (status === 429 || status === 503) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
});
