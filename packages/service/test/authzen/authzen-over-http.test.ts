import { readFileSync } from 'node:fs';
import { StoreUnavailable } from '@writecheck/store/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

const POLICY = readFileSync(new URL('../../../../conformance/authzen/policy.yaml', import.meta.url), 'utf8');
const PAGE = readFileSync(new URL('../../../../docs/authzen.md', import.meta.url), 'utf8');
const STARTER = /^```yaml\n(# What an enforcement point .*?)^```/ms.exec(PAGE)![1]!;
const PERMITTED = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'record', id: 'record-1' },
};
const DENIED = { ...PERMITTED, subject: { type: 'user', id: 'bob' }, action: { name: 'write' } };

let service: TestService;
let nowMs = Date.UTC(2026, 10, 15, 12);

beforeAll(async () => {
  service = await startTestService({ clock: () => nowMs });
  await applyPolicy(service, POLICY);
});
afterAll(() => service.stop());

async function applyPolicy({ url, ownerKey }: TestService, body: string): Promise<void> {
  const headers = { 'content-type': 'application/yaml' };
  const { status, text } = await ask(`${url}/v1/policies?confirmLoosening=true`, {
    method: 'PUT',
    key: ownerKey,
    headers,
    body,
  });
  if (status !== 200) throw new Error(text);
}

function evaluate(json: unknown, init: RequestInit & { key?: string } = {}, path = 'evaluation') {
  return ask(`${service.url}/access/v1/${path}`, { key: service.liveKey, ...init, json });
}
function evaluateMany(json: unknown, init: RequestInit & { key?: string } = {}) {
  return evaluate(json, init, 'evaluations');
}
async function used(): Promise<number> {
  return (await ask(`${service.url}/v1/usage`, { key: service.ownerKey })).body.live.used;
}
async function recordOf(id: string) {
  return (await ask(`${service.url}/v1/decisions/${id}`, { key: service.ownerKey })).body;
}

describe('an evaluation', () => {
  test('gets our decision, recorded and charged', async () => {
    const before = await used();
    const { status, headers, body } = await evaluate(PERMITTED);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const { decision_id: id, intent_digest: digest, ...context } = body.context;
    expect(body.decision).toBe(true);
    expect(context).toEqual({
      reason: 'requirements_met',
      reason_code: 'requirements_met',
      decision: 'allow',
      evaluation_id: id,
      evaluated_at: '2026-11-15T12:00:00.000Z',
      valid_until: '2026-11-15T12:05:00.000Z',
      observed: false,
      reason_admin: { en: 'Profile `reads` permits this kind of write.' },
    });
    const record = await recordOf(id);
    expect(record.intent).toEqual({
      system: 'authzen',
      objectType: 'record',
      objectRef: 'record-1',
      operation: 'read',
      metadata: { agent: 'alice', context: { subject: { type: 'user', id: 'alice' } } },
    });
    expect(record.response.intentDigest).toBe(digest);
    expect(record).not.toHaveProperty('received');
    expect(await used()).toBe(before + 1);
  });

  test('that pauses is false, and says why', async () => {
    const { body } = await evaluate(DENIED);
    expect(body.decision).toBe(false);
    expect(body.context).toMatchObject({ reason: 'policy_unmatched', decision: 'pause', observed: false });
    expect(body.context.remediation).toHaveLength(2);
    expect(body.context.valid_until).toBeUndefined();
    expect(body.context.review).toBeUndefined();
  });

  test('gives the same digest each time, whatever else is in its context', async () => {
    const { body: plain } = await evaluate(PERMITTED);
    const { body: busy } = await evaluate({
      ...PERMITTED,
      context: { ip: '10.0.0.1', time: 'now', run_id: 'r' },
    });
    expect(busy.context.intent_digest).toBe(plain.context.intent_digest);
  });
});

describe('errors', () => {
  const refused = async (body: unknown, path = 'evaluation') => {
    const { status, headers, text } = await evaluate(body, {}, path);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    return `${status} ${text}`;
  };

  test('are text, with 400 for any error in a body', async () => {
    expect(await refused({})).toBe(
      '400 `/subject` is required; `/action` is required; `/resource` is required',
    );
    expect(await refused({ ...PERMITTED, context: { requiredControls: ['a'] } })).toBe(
      '400 unknown member `requiredControls` of `/context`, did you mean `required_controls`',
    );
    expect(await refused({ ...PERMITTED, context: { write: { system: 'erp', sytem: 'x' } } })).toContain(
      '400 ',
    );
    expect(await refused({ ...PERMITTED, resource: { type: 'x '.repeat(200), id: '1' } })).toContain(
      '`/resource/type`',
    );
    expect(await refused([])).toBe('400 the body must be an object');
    // Our own words for a refusal are members like any others.
    const posing = { kind: 'refused', code: 'not_found', message: 'x', status: 200 };
    expect(await refused(posing)).toContain('400 `/subject` is required');
    expect(await refused(posing, 'evaluations')).toContain('400 `/subject` is required');
    const { status } = await evaluate(PERMITTED, { headers: { 'content-type': 'text/plain' } });
    expect(status).toBe(400);
    expect((await evaluate(PERMITTED, {}, 'search/subject')).status).toBe(404);
  });

  test('about the key and headers keep their status', async () => {
    const none = await evaluate(PERMITTED, { key: 'wck_live_nothing' });
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Bearer'),
    ]);
    expect((await evaluate(PERMITTED, { key: service.ownerKey })).status).toBe(403);
    expect((await evaluate(PERMITTED, { headers: { 'idempotency-key': 'a b' } })).status).toBe(422);
    expect((await evaluate({ ...PERMITTED, context: { x: 'x'.repeat(70_000) } })).status).toBe(413);
  });

  test('echo any request id of up to 1,024 bytes, as every response does', async () => {
    for (const id of ['a', 'with space', 'x'.repeat(1_024)]) {
      for (const body of [PERMITTED, {}]) {
        const { headers } = await evaluate(body, { headers: { 'x-request-id': id } });
        expect(headers.get('x-request-id')).toBe(id);
      }
    }
    const { headers } = await evaluate(PERMITTED, { headers: { 'x-request-id': 'x'.repeat(1_025) } });
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });
});

describe('several evaluations', () => {
  const ITEMS = [{ action: { name: 'read' } }, { action: { name: 'write' } }, { action: { name: 'read' } }];
  const SEVERAL = { ...DENIED, action: undefined, evaluations: ITEMS };
  const decisions = async (options?: object, evaluations: unknown[] = ITEMS) => {
    const before = await used();
    const { body, status, text } = await evaluateMany({ ...SEVERAL, evaluations, options });
    if (status !== 200) return text;
    const answers = body.evaluations.map(({ decision }: { decision: boolean }) => decision);
    return [answers, (await used()) - before];
  };

  test('ends where its semantic says; items that were not reached are neither recorded nor charged', async () => {
    expect(await decisions()).toEqual([[true, false, true], 3]);
    expect(await decisions({ evaluations_semantic: 'execute_all', other: 1 })).toEqual([
      [true, false, true],
      3,
    ]);
    expect(await decisions({ evaluations_semantic: 'deny_on_first_deny' })).toEqual([[true, false], 2]);
    expect(await decisions({ evaluations_semantic: 'permit_on_first_permit' })).toEqual([[true], 1]);
    expect(await decisions({ evaluations_semantic: 'deny_on_first_deny' }, [ITEMS[0], 5, ITEMS[0]])).toEqual([
      [true, false],
      1,
    ]);
    expect(
      await decisions({ evaluations_semantic: 'permit_on_first_permit' }, [{}, ITEMS[1], ITEMS[0], 5]),
    ).toEqual([[false, false, true], 2]);
    for (const semantic of ['first', null, 5, 'constructor'])
      expect(await decisions({ evaluations_semantic: semantic })).toContain('evaluations_semantic');
  });

  test('beyond the quota are denied, each alone, and end the array if it ends with the first deny', async () => {
    const { developmentKey: key } = service;
    const full = { ...PERMITTED, evaluations: Array(50).fill({}) };
    for (let i = 0; i < 19; i += 1) await evaluateMany(full, { key });
    await evaluateMany({ ...PERMITTED, evaluations: Array(49).fill({}) }, { key });
    const last = { ...PERMITTED, evaluations: [{}, {}, {}, 5] };
    const options = { evaluations_semantic: 'deny_on_first_deny' };
    const { body, headers } = await evaluateMany({ ...last, options }, { key });
    expect(body.evaluations.map(({ decision }: { decision: boolean }) => decision)).toEqual([true, false]);
    expect(body.evaluations[1].context.error.status).toBe(429);
    expect(headers.get('ratelimit')).toMatch(/^"development";r=0;/);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    const after = await evaluateMany({ ...last, options }, { key });
    expect(after.body.evaluations).toEqual([body.evaluations[1]]);
    const all = await evaluateMany(last, { key });
    const statuses = all.body.evaluations.map(
      (each: { decision: boolean; context: { error: { status: number } } }) =>
        !each.decision && each.context.error.status,
    );
    expect(statuses).toEqual([429, 429, 429, 400]);
  });

  test('are decided one by one: evidence that counts once permits one of them', async () => {
    const other = await startTestService();
    const at = (path: string, json: unknown, key = other.liveKey) =>
      ask(`${other.url}${path}`, { key, json });
    await applyPolicy(other, STARTER);
    const deletion = { ...PERMITTED, action: { name: 'delete' } };
    const { context: paused } = (await at('/access/v1/evaluation', deletion)).body;
    const { id } = (await at('/v1/reviews', { decision_id: paused.decision_id })).body.review;
    const verdict = { verdict: 'approve', intentDigest: paused.intent_digest };
    await at(`/v1/reviews/${id}/verdicts`, verdict, other.ownerKey);
    const { evidence } = (await at(`/v1/reviews/${id}`, undefined)).body.review;
    const { body } = await at('/access/v1/evaluations', {
      ...deletion,
      context: { control_evidence: evidence },
      evaluations: Array(10).fill({}),
    });
    const permits = body.evaluations.filter(({ decision }: { decision: boolean }) => decision);
    expect([body.evaluations.length, permits.length]).toEqual([10, 1]);
    await other.stop();
  });

  test('whose decision cannot be recorded are denied', async () => {
    let isBroken = false;
    const broken = await startTestService({
      throughStore: (store) => ({
        ...store,
        commit: (...args) =>
          isBroken ? Promise.reject(new StoreUnavailable('io', 'the disk is gone')) : store.commit(...args),
      }),
    });
    await applyPolicy(broken, POLICY);
    isBroken = true;
    const reply = await ask(`${broken.url}/access/v1/evaluations`, {
      key: broken.liveKey,
      json: { ...PERMITTED, evaluations: [{}, {}] },
    });
    for (const { decision, context } of reply.body.evaluations)
      expect([decision, context.error.status]).toEqual([false, 503]);
    isBroken = false;
    await broken.stop();
  });

  test('refuses only the invalid item', async () => {
    const { body } = await evaluateMany({
      ...PERMITTED,
      subject: 5,
      evaluations: [{}, { subject: PERMITTED.subject }],
    });
    expect(body.evaluations.map(({ decision }: { decision: boolean }) => decision)).toEqual([false, true]);
    expect(body.evaluations[0].context).toEqual({
      error: { status: 400, message: '`/subject` must be an object, not a number' },
    });
  });

  test('of permits is the same each time, unless the caller prefers the whole', async () => {
    const two = { ...PERMITTED, evaluations: [{}, {}] };
    const first = await evaluateMany(two);
    nowMs += 1_000;
    expect((await evaluateMany(two)).text).toBe(first.text);
    expect(Object.keys(first.body.evaluations[0].context)).toEqual([
      'reason',
      'reason_code',
      'decision',
      'intent_digest',
      'observed',
      'reason_admin',
    ]);
    const { body } = await evaluateMany(two, {
      headers: { prefer: 'respond-async, Return="representation"' },
    });
    expect(body.evaluations[0].context.decision_id).toMatch(/^dec_/);
    const ids = body.evaluations.map(
      (each: { context: { decision_id: string } }) => each.context.decision_id,
    );
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect((await recordOf(id)).intent.objectRef).toBe('record-1');
  });

  test('without items is a single evaluation, with a limit of its own', async () => {
    for (const evaluations of [undefined, null, []])
      expect((await evaluateMany({ ...PERMITTED, evaluations })).body.decision).toBe(true);
    const { status } = await evaluateMany({ ...PERMITTED, context: { x: 'x'.repeat(70_000) } });
    expect(status).toBe(413);
    const many = { ...PERMITTED, evaluations: Array(51).fill({}) };
    expect((await evaluateMany(many)).status).toBe(400);
    expect((await evaluateMany({ ...PERMITTED, evaluations: {} })).status).toBe(400);
    expect((await evaluateMany({ ...PERMITTED, options: [] })).status).toBe(400);
  });
});

describe('an idempotency key', () => {
  test('replays an evaluation, and one of `evaluations` as this request prefers it', async () => {
    const headers = { 'idempotency-key': 'evaluation-1' };
    const first = await evaluate(PERMITTED, { headers });
    const again = await evaluate(PERMITTED, { headers });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const one = { ...PERMITTED, evaluations: [{}] };
    const kept = { headers: { 'idempotency-key': 'evaluations-1' } };
    const whole = { headers: { ...kept.headers, prefer: 'return=representation' } };
    const brief = await evaluateMany(one, kept);
    const replayed = await evaluateMany(one, kept);
    expect([replayed.text, replayed.headers.get('idempotency-replayed')]).toEqual([brief.text, 'true']);
    const { body } = await evaluateMany(one, whole);
    expect(body.evaluations[0].context).toMatchObject(brief.body.evaluations[0].context);
    expect(body.evaluations[0].context.decision_id).toMatch(/^dec_/);
    // Its errors concern the request, not its item.
    const other = await evaluateMany({ ...one, subject: DENIED.subject }, kept);
    expect([other.status, other.text]).toEqual([
      422,
      expect.stringContaining('was used for another request'),
    ]);
  });

  test('or a claim is refused for more than one evaluation', async () => {
    const before = await used();
    const several = { ...PERMITTED, evaluations: [{}, {}] };
    for (const headers of [
      { 'idempotency-key': 'several-1' },
      { redeem: 'mine' },
      { redeem: 'mine', 'idempotency-key': 'several-2' },
    ])
      expect((await evaluateMany(several, { headers } as RequestInit)).status).toBe(422);
    expect(await used()).toBe(before);
  });

  test('of a native request is another request', async () => {
    const headers = { 'idempotency-key': 'shared-1' };
    const intent = { system: 'authzen', operation: 'read' };
    expect(
      (await ask(`${service.url}/v1/check-write`, { key: service.liveKey, headers, json: intent })).status,
    ).toBe(200);
    expect((await evaluate(PERMITTED, { headers })).status).toBe(422);
  });
});

describe('under the policy of the page', () => {
  let other: TestService;
  const DELETION = {
    subject: { type: 'user', id: 'eve', properties: { role: 'admin' } },
    action: { name: 'delete' },
    resource: { type: 'record', id: 'record-7' },
  };
  const at = (path: string, json?: unknown, key = other.liveKey) => ask(`${other.url}${path}`, { key, json });
  beforeAll(async () => {
    other = await startTestService({ settings: { publicUrl: 'https://pdp.example.com/' } });
    await applyPolicy(other, STARTER);
  });
  afterAll(() => other.stop());

  test('a pause names where to open a review, and its approval permits exactly that request, once', async () => {
    const { body: paused } = await at('/access/v1/evaluation', DELETION);
    expect(paused.context.review).toEqual({
      controls: ['approval'],
      endpoint: 'https://pdp.example.com/v1/reviews',
    });
    const { decision_id, intent_digest: intentDigest } = paused.context;
    const { id } = (await at('/v1/reviews', { decision_id })).body.review;
    await at(`/v1/reviews/${id}/verdicts`, { verdict: 'approve', intentDigest }, other.ownerKey);
    const { evidence } = (await at(`/v1/reviews/${id}`)).body.review;
    const context = { control_evidence: evidence };
    const another = { ...DELETION, context, resource: { type: 'record', id: 'record-8' } };
    expect((await at('/access/v1/evaluation', another)).body.decision).toBe(false);
    const approved = await at('/access/v1/evaluation', { ...DELETION, context });
    expect(approved.body.decision).toBe(true);
    expect(approved.body.context.intent_digest).toBe(intentDigest);
    const redeemed = await at(`/v1/decisions/${approved.body.context.evaluation_id}/redeem`, {
      intentDigest,
    });
    expect(redeemed.body.redeemed).toBe(true);
    expect((await at('/access/v1/evaluation', { ...DELETION, context })).body.decision).toBe(false);
  });

  test('a frozen evaluation says so in the words of the person who froze it, and nobody can approve it', async () => {
    const { body } = await at('/v1/freezes', { reason: 'an agent runs wild' }, other.ownerKey);
    const frozen = (await at('/access/v1/evaluation', DELETION)).body;
    expect(frozen.decision).toBe(false);
    expect(frozen.context).toMatchObject({ reason: 'frozen', reason_code: 'frozen', decision: 'pause' });
    expect(frozen.context.reason_admin.en).toContain('an agent runs wild');
    expect(frozen.context.review).toBeUndefined();
    await at(`/v1/freezes/${body.freeze.id}/lift`, { reason: 'over' }, other.ownerKey);
    expect((await at('/access/v1/evaluation', DELETION)).body.context.reason).toBe(
      'CONTROL_EVIDENCE_MISSING',
    );
  });
});

test('an evaluation that names no system is stopped by a freeze of any system: check, replay and redemption', async () => {
  const headers = { 'idempotency-key': 'unnamed-system' };
  const { evaluation_id, intent_digest } = (await evaluate(PERMITTED, { headers })).body.context;
  const asOwner = (path: string, json: object) =>
    ask(`${service.url}${path}`, { key: service.ownerKey, json });
  const scope = { system: 'erp', objectType: 'record' };
  const { id } = (await asOwner('/v1/freezes', { reason: 'stop', scope })).body.freeze;
  expect((await evaluate(PERMITTED)).body.context.reason).toBe('frozen');
  const elsewhere = await evaluate({ ...PERMITTED, context: { write: { system: 'crm' } } });
  expect(elsewhere.body.context.reason).toBe('policy_unmatched');
  const required = await ask(`${service.url}/v1/requirements`, {
    key: service.liveKey,
    json: (await recordOf(evaluation_id)).intent,
  });
  expect(required.body.evaluated.reason_code).toBe('frozen');
  const refused = async () => {
    expect((await evaluate(PERMITTED, { headers })).status).toBe(409);
    const redeemed = await ask(`${service.url}/v1/decisions/${evaluation_id}/redeem`, {
      key: service.liveKey,
      json: { intentDigest: intent_digest },
    });
    expect([redeemed.status, redeemed.body.error.details]).toEqual([
      409,
      [{ pointer: '', message: 'frozen' }],
    ]);
  };
  await refused();
  await asOwner(`/v1/freezes/${id}/lift`, { reason: 'over' });
  await refused();
  expect((await evaluate(PERMITTED)).body.decision).toBe(true);
});

test('members of the context count only if the policy lists them, from the moment it does', async () => {
  const request = { ...PERMITTED, context: { channel: 'web' } };
  const plain = (await evaluate(request)).body.context.intent_digest;
  await applyPolicy(
    service,
    POLICY.replace('unmatched: pause', 'unmatched: pause\nauthzenContext: [channel]'),
  );
  const { body } = await evaluate(request);
  expect(body.context.intent_digest).not.toBe(plain);
  const { intent } = await recordOf(body.context.decision_id);
  expect(intent.metadata.context.request).toEqual({ channel: 'web' });
  await applyPolicy(service, POLICY);
});

test('an allow is taken with `Redeem`, once', async () => {
  const take = (claim: string, key: string | null = 'taken-1') =>
    evaluate(PERMITTED, { headers: { redeem: claim, ...(key === null ? {} : { 'idempotency-key': key }) } });
  const { body } = await take('mine');
  expect(body.context.redemption).toEqual({ redeemedAt: body.context.evaluated_at, claim: 'mine' });
  // A caller that sees another claim than its own must not act.
  expect((await take('theirs')).body.context.redemption.claim).toBe('mine');
  const { evaluation_id: id, intent_digest: intentDigest } = body.context;
  const again = await ask(`${service.url}/v1/decisions/${id}/redeem`, {
    key: service.liveKey,
    json: { intentDigest },
  });
  expect(again.status).toBe(409);
  expect((await take('mine', null)).status).toBe(422);
  expect((await take('m m')).status).toBe(422);
  const headers = { redeem: 'mine', 'idempotency-key': 'taken-2' };
  const one = await evaluateMany({ ...PERMITTED, evaluations: [{}] }, { headers });
  expect(one.body.evaluations[0].context.redemption.claim).toBe('mine');
  const paused = await evaluate(DENIED, { headers: { redeem: 'mine', 'idempotency-key': 'taken-3' } });
  expect([paused.body.decision, paused.body.context.redemption]).toEqual([false, undefined]);
});

test('a large number is decided exactly as sent', async () => {
  const large = `{"subject":{"type":"user","id":"alice","properties":{"n":1e16}},"action":{"name":"read"},"resource":{"type":"record","id":"record-1"}}`;
  const headers = { 'content-type': 'application/json' };
  const { status, body } = await ask(`${service.url}/access/v1/evaluation`, {
    key: service.liveKey,
    method: 'POST',
    headers,
    body: large,
  });
  expect([status, body.decision]).toEqual([200, true]);
  const { intent } = await recordOf(body.context.decision_id);
  expect(intent.metadata.context.subject.properties.n).toBe(1e16);
});

test('refusals name members as the caller knows them', async () => {
  const { body } = await ask(`${service.url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'live', name: 'narrow', allowedWorkflows: ['w'] },
  });
  const { status, text } = await evaluate(PERMITTED, { key: body.secret });
  expect([status, text]).toEqual([403, 'this key must name one of its workflows in `/context/workflow_id`']);
});

test('the description of the API shows errors as they are sent', async () => {
  const { paths } = (await ask(`${service.url}/openapi.json`)).body;
  const { responses } = paths['/access/v1/evaluation'].post;
  expect(Object.keys(responses)).toEqual([
    '200',
    '400',
    '401',
    '403',
    '409',
    '413',
    '422',
    '429',
    '500',
    '503',
  ]);
  for (const status of ['400', '401', '422'])
    expect(Object.keys(responses[status].content)).toEqual(['text/plain']);
  expect(responses[400].description).toContain('unsupported_media_type');
});

test('the metadata names the endpoints under the public URL, also at the place that its path implies', async () => {
  const plain = await ask(`${service.url}/.well-known/authzen-configuration`);
  const own = `http://localhost:${new URL(service.url).port}`;
  expect(plain.headers.get('content-type')).toBe('application/json');
  expect(plain.body).toEqual({
    policy_decision_point: own,
    access_evaluation_endpoint: `${own}/access/v1/evaluation`,
    access_evaluations_endpoint: `${own}/access/v1/evaluations`,
  });
  const headers = { 'x-request-id': `with space ${'x'.repeat(200)}` };
  const echoed = await ask(`${service.url}/.well-known/authzen-configuration`, { headers });
  expect(echoed.headers.get('x-request-id')).toBe(headers['x-request-id']);
  const posted = await ask(`${service.url}/.well-known/authzen-configuration`, { method: 'POST', headers });
  expect([posted.status, posted.headers.get('content-type'), posted.headers.get('allow')]).toEqual([
    405,
    'text/plain; charset=utf-8',
    'GET, HEAD, OPTIONS',
  ]);
  expect(posted.headers.get('x-request-id')).toBe(headers['x-request-id']);
  const other = await startTestService({ settings: { publicUrl: 'https://pdp.example.com/tenant/a/' } });
  for (const path of ['', '/tenant/a']) {
    const { body } = await ask(`${other.url}/.well-known/authzen-configuration${path}`);
    expect(body.access_evaluation_endpoint).toBe('https://pdp.example.com/tenant/a/access/v1/evaluation');
  }
  await other.stop();
  await expect(startTestService({ settings: { publicUrl: 'https://x.example/?a' } })).rejects.toThrow(
    'query',
  );
});
