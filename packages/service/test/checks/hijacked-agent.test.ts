/** What a hijacked agent tries with its own keys: one allow twice, a write past a freeze, a false outcome. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ask, type Reply } from '../ask.ts';
import { calls, WRITE } from '../freezes/freezes-kit.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
let call: ReturnType<typeof calls>;
let url: string;
beforeAll(async () => {
  service = await startTestService();
  call = calls({ services: [service], ownerKey: service.ownerKey, liveKey: service.liveKey });
  url = service.url;
});
afterAll(() => service.stop());
afterEach(async () => {
  for (const { id } of (await call.get('/v1/freezes')).body.freezes) await call.lift(id);
});

const newKey = async (): Promise<{ readonly id: string; readonly secret: string }> => {
  const made = await ask(`${url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'live', name: 'agent' },
  });
  return { id: made.body.key.id, secret: made.body.secret };
};
const rotate = async (id: string): Promise<string> =>
  (await ask(`${url}/v1/keys/${id}/rotate`, { key: service.ownerKey, json: {} })).body.secret;
const redeem = ({ body }: Reply, key: string, headers = {}): Promise<Reply> =>
  ask(`${url}/v1/decisions/${body.decision_id}/redeem`, {
    key,
    headers,
    json: { intentDigest: body.intentDigest },
  });
const tell = ({ body }: Reply, key: string, result: string): Promise<Reply> =>
  ask(`${url}/v1/decisions/${body.decision_id}/outcome`, { key, json: { result } });
const took = ({ status, body }: Reply): boolean => status === 200 && body.redeemed === true;

describe('one allow twice', () => {
  test('taken concurrently in every way, over both keys of a rotation, it is taken once', async () => {
    const first = await newKey();
    const decided = await call.check(WRITE, { 'idempotency-key': 'k' }, first.secret);
    const second = await rotate(first.id);
    const tries = await Promise.all(
      [first.secret, second, service.liveKey].flatMap((key) => [
        redeem(decided, key),
        redeem(decided, key, { 'idempotency-key': randomUUID() }),
      ]),
    );
    expect(tries.filter(took)).toHaveLength(1);
  });

  test('an allow taken with the check is not taken again: by a request, by the other key, or under the key of the check', async () => {
    const first = await newKey();
    const named = { 'idempotency-key': 'order-1', redeem: 'mine' };
    const decided = await call.check(WRITE, named, first.secret);
    expect(decided.body.redemption.claim).toBe('mine');
    const second = await rotate(first.id);
    // The scope of an idempotency key is the lineage: another claim sees who holds it.
    const other = await call.check(WRITE, { ...named, redeem: 'theirs' }, second);
    expect([other.body.decision_id, other.body.redemption.claim]).toEqual([decided.body.decision_id, 'mine']);
    const without = await call.check(WRITE, { 'idempotency-key': 'order-1' }, second);
    expect(without.body.redemption.claim).toBe('mine');
    for (const headers of [{}, { 'idempotency-key': 'order-1' }, { 'idempotency-key': 'order-2' }])
      for (const key of [first.secret, second, service.liveKey])
        expect(took(await redeem(decided, key, headers))).toBe(false);
    // Another request does not lead to a second allow under that key.
    const another = await ask(`${url}/api/v1/check-write`, {
      key: second,
      json: { ...WRITE, runId: 'other' },
      headers: { 'idempotency-key': 'order-1' },
    });
    expect([another.status, another.body.error.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('a claim cannot hide in a list, in a second header or in an AuthZEN batch', async () => {
    for (const claim of ['mine, theirs', '', 'mine\ttheirs']) {
      const reply = await call.check(WRITE, { 'idempotency-key': randomUUID(), redeem: claim });
      expect([reply.status, reply.body.error.code]).toEqual([422, 'invalid_request']);
    }
    const reply = await ask(`${url}/access/v1/evaluations`, {
      key: service.liveKey,
      headers: { 'idempotency-key': randomUUID(), redeem: 'mine' },
      json: { evaluations: [{}, {}] },
    });
    expect(reply.status).toBeGreaterThanOrEqual(400);
  });
});

const NO_TARGET = { field: null, agentValue: null, objectType: null };

describe('past a freeze', () => {
  test.each([
    ['another case', { system: 'CRM' }],
    ['no workflow', { workflowId: null }],
    ['an operation and no field or object type', { ...NO_TARGET, operation: 'crm.update' }],
    ['another object', { objectRef: 'C-1\u200b' }],
  ])('a write is stopped with %s', async (_, change) => {
    const scope = { system: 'crm', objectType: 'customer', workflowId: 'w', field: 'email' };
    await call.freeze({ reason: 'stop', scope });
    expect((await call.check({ ...WRITE, ...change })).body.reason_code).toBe('frozen');
  });

  test.each([
    ['a space at the end', { system: 'crm ' }],
    ['a member spelled otherwise', { System: 'erp' }],
    ['the member twice', '{"system":"erp","system":"crm"}'],
  ])('a write with %s is not a valid write', async (_, change) => {
    await call.freeze({ reason: 'stop', scope: { system: 'crm' } });
    const body = typeof change === 'string' ? change : JSON.stringify({ ...WRITE, ...change });
    const reply = await ask(`${url}/v1/check-write`, {
      key: service.liveKey,
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([400, 422]).toContain(reply.status);
  });

  test('a frozen key cannot check, not even with the key it is rotated into, nor take what another key was allowed', async () => {
    const [frozen, honest] = [await newKey(), await newKey()];
    const [before, during] = [
      await call.check(WRITE, {}, honest.secret),
      () => call.check(WRITE, {}, honest.secret),
    ];
    await call.freeze({ reason: 'this agent', scope: { keyId: frozen.id } });
    const after = await during();
    expect(after.body.decision).toBe('allow');
    const rotated = await rotate(frozen.id);
    for (const key of [frozen.secret, rotated]) {
      expect((await call.check(WRITE, {}, key)).body.reason_code).toBe('frozen');
      for (const allowed of [before, after]) {
        const reply = await redeem(allowed, key);
        expect([reply.status, reply.body.error.details]).toEqual([409, [{ pointer: '', message: 'frozen' }]]);
      }
    }
    expect(took(await redeem(after, honest.secret))).toBe(true);
  });

  test('an allow that was kept for later stays stopped, also after the lift', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [erp, kept] = [await call.check({ ...WRITE, system: 'erp' }), await call.check(WRITE, headers)];
    expect([erp.body.decision, kept.body.decision]).toEqual(['allow', 'allow']);
    const { body } = await call.freeze({ reason: 'stop', scope: { system: 'crm' } });
    for (const isLifted of [false, true]) {
      if (isLifted) await call.lift(body.freeze.id);
      const again = await call.check(WRITE, headers);
      expect([again.status, again.body.error.code]).toEqual([409, 'idempotency_key_expired']);
      expect((await redeem(kept, service.liveKey)).status).toBe(409);
      if (isLifted) expect(took(await redeem(erp, service.liveKey))).toBe(true);
    }
  });

  test('a receipt of an allow from before the freeze does not make it redeemable', async () => {
    const proven = await call.check();
    await call.freeze({ reason: 'stop' });
    const receipt = await call.get(`/v1/decisions/${proven.body.decision_id}/receipt`, service.liveKey);
    expect(receipt.status).toBe(200);
    expect((await redeem(proven, service.liveKey)).status).toBe(409);
  });
});

describe('a false outcome', () => {
  test('no key reports for another key, or even learns that the decision exists', async () => {
    const [mine, theirs] = [await newKey(), await newKey()];
    const decided = await call.check(WRITE, {}, mine.secret);
    for (const key of [theirs.secret, service.developmentKey])
      expect((await tell(decided, key, 'done')).status).toBe(404);
    expect((await tell(decided, await rotate(mine.id), 'done')).status).toBe(200);
  });

  test('of many concurrent reports one result is kept, and none of the others changes it', async () => {
    const decided = await call.check();
    const results = ['done', 'failed', 'unknown', 'done', 'failed', 'unknown'];
    await Promise.all(results.map((result) => tell(decided, service.liveKey, result)));
    const stands = (await call.get(`/v1/decisions/${decided.body.decision_id}`)).body.outcome.result;
    expect(['done', 'failed']).toContain(stands);
    for (const result of ['done', 'failed', 'unknown']) {
      const reply = await tell(decided, service.liveKey, result);
      expect(reply.status).toBe(result === stands ? 200 : 409);
    }
    expect((await redeem(decided, service.liveKey)).body.error.code).toBe('not_redeemable');
  });

  test('a report frees nothing: the key of the allow stays bound to it', async () => {
    const headers = { 'idempotency-key': randomUUID(), redeem: 'mine' };
    const decided = await call.check(WRITE, headers);
    expect((await tell(decided, service.liveKey, 'failed')).status).toBe(200);
    const again = await call.check(WRITE, { ...headers, redeem: 'theirs' });
    expect([again.body.decision_id, again.body.redemption.claim]).toEqual([decided.body.decision_id, 'mine']);
  });
});
