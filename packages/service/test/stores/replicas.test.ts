/** Several replicas on one PostgreSQL look like one service to every caller. */
import { ExportVerifier, verifyReceipt } from '@writecheck/ledger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { DEVELOPMENT_CHECKS_A_MONTH } from '../../src/features/keys/allowance.ts';
import { knownWithin } from '../known-within.ts';
import { startTestService, type TestService } from '../start-service.ts';

let server: TestServer;
let one: TestService;
let two: TestService;
let three: TestService;
beforeAll(async () => {
  server = await startTestServer();
  const settings = { databaseUrl: await server.newServiceDatabase() };
  one = await startTestService({ settings });
  two = await startTestService({ settings });
  three = await startTestService({ settings });
});
afterAll(async () => {
  await Promise.all([one.stop(), two.stop(), three.stop()]);
  await server.remove();
});

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is read as any caller would read it
  readonly json: any;
}

const call = async (
  at: TestService,
  path: string,
  key: string | null,
  options: { method?: string; body?: unknown; headers?: Record<string, string>; type?: string } = {},
): Promise<Reply> => {
  const { method = options.body === undefined ? 'GET' : 'POST', body, headers = {} } = options;
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson =
    response.headers.get('content-type')?.includes('json') && text.startsWith('{') && !text.includes('\n{');
  return { status: response.status, text, headers: response.headers, json: isJson ? JSON.parse(text) : null };
};

const intentOf = (objectRef: string) => ({
  ...{ system: 'crm', objectType: 'customer', objectRef, field: 'email', agentValue: 'ada@example.com' },
  requiredControls: ['identity'],
  controlEvidence: [{ controlId: 'identity', source: 'okta', result: 'PASS' }],
});

const check = (at: TestService, key: string, objectRef: string, headers: Record<string, string> = {}) =>
  call(at, '/v1/check-write', key, { body: intentOf(objectRef), headers });

const newKey = async (kind: string): Promise<{ id: string; secret: string }> => {
  const { json } = await call(one, '/v1/keys', one.ownerKey, { body: { kind, name: 'k' } });
  return { id: json.key.id, secret: json.secret };
};

describe('three replicas', () => {
  test('a decision of one is read, proven and redeemed at another, once', async () => {
    const { json } = await check(one, one.liveKey, 'proven');
    const path = `/v1/decisions/${json.decision_id}`;
    expect((await call(two, path, one.liveKey)).json.decision_id).toBe(json.decision_id);
    const receipts = [one, two].map((at) => call(at, `${path}/receipt`, one.liveKey));
    const keys = (await call(three, '/v1/audit/key', null)).text.trim().split('\n');
    for (const { json: receipt } of await Promise.all(receipts)) {
      const verdict = await verifyReceipt({
        ...{ receipt, intent: intentOf('proven') as never, keys, workspace: one.workspace, now: new Date() },
      });
      expect(verdict).toMatchObject({ ok: true });
    }
    const redeemed = await Promise.all(
      [one, two, three, one, two, three].map((at) =>
        call(at, `${path}/redeem`, one.liveKey, { body: { intentDigest: json.intentDigest } }),
      ),
    );
    expect(redeemed.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  test('an export of one object has the redemption, in whichever log it is', async () => {
    const decided = [one, two, three].map((at, i) => check(at, one.liveKey, `exported-${i}`));
    for (const [i, { json }] of (await Promise.all(decided)).entries()) {
      const body = { intentDigest: json.intentDigest };
      const elsewhere = [two, three, one][i]!;
      await call(elsewhere, `/v1/decisions/${json.decision_id}/redeem`, one.liveKey, { body });
      const { text } = await call(one, `/v1/audit/export?objectRef=exported-${i}`, one.ownerKey);
      const verifier = new ExportVerifier({ keys: (await call(one, '/v1/audit/key', null)).text });
      for (const line of text.trim().split('\n')) await verifier.push(line);
      expect(verifier.finish()).toMatchObject({ ok: true, counts: { decisions: 1, redemptions: 1 } });
    }
  });

  test('one idempotency key has one response, whichever replica gets the request first', async () => {
    for (let round = 0; round < 5; round += 1) {
      const headers = { 'idempotency-key': `shared-${round}` };
      const replies = await Promise.all(
        [one, two, three, one, two, three].map((at) => check(at, one.liveKey, `idem-${round}`, headers)),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    }
  });

  test('the last check of the month is admitted once', async () => {
    const { secret } = await newKey('development');
    const spent = (await call(one, '/v1/usage', one.ownerKey)).json.used;
    const left = DEVELOPMENT_CHECKS_A_MONTH - spent;
    const statuses: number[] = [];
    for (let round = 0; round < 24; round += 1) {
      const group = Array.from({ length: 45 }, (_, i) => check([one, two, three][i % 3]!, secret, `${i}`));
      statuses.push(...(await Promise.all(group)).map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(left);
    expect((await call(two, '/v1/usage', one.ownerKey)).json).toMatchObject({ remaining: 0 });
  });

  test('a revoked key and a new policy apply everywhere within a second', async () => {
    const { id, secret } = await newKey('live');
    for (const at of [two, three]) expect((await check(at, secret, 'before')).status).toBe(200);
    await call(one, `/v1/keys/${id}`, one.ownerKey, { method: 'DELETE' });
    const documents = [
      { kind: 'ControlPack', id: 'p', controls: { approval: { maxAge: '1h' } } },
      { kind: 'Profile', id: 'all', version: '1', controlPack: 'p', require: ['approval'] },
    ];
    const applied = await call(one, '/v1/policies', one.ownerKey, { method: 'PUT', body: { documents } });
    expect(applied.status).toBe(200);
    for (const at of [two, three]) {
      const refused = await knownWithin(
        1_000,
        () => check(at, secret, 'after'),
        ({ status }) => status !== 200,
      );
      expect(refused.json.error.code).toBe('key_revoked');
      await knownWithin(
        1_000,
        () => check(at, one.liveKey, 'after'),
        ({ json }) => json.decision === 'pause',
      );
    }
  });

  test('each of them lists, signs and verifies every log', async () => {
    const { logs } = (await call(one, '/v1/audit/logs', null)).json;
    expect(logs.map(({ isOpen }: { isOpen: boolean }) => isOpen)).toEqual([true, true, true]);
    expect(logs.every(({ size }: { size: number }) => size > 0)).toBe(true);
    for (const at of [one, two, three]) {
      const keys = (await call(at, '/v1/audit/key', null)).text.trim().split('\n');
      const checkpoints = await Promise.all(
        logs.map(
          async ({ log }: { log: string }) => (await call(at, `/v1/audit/checkpoint?log=${log}`, null)).text,
        ),
      );
      const verifier = new ExportVerifier({ keys, knownCheckpoints: checkpoints, workspace: one.workspace });
      const exported = await call(at, '/v1/audit/export', one.ownerKey);
      for (const line of exported.text.trimEnd().split('\n')) await verifier.push(line);
      expect(verifier.finish()).toMatchObject({ ok: true });
    }
  });
});
