/** A request with every error is refused for one error at a time, in the published order. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSecret } from '../../src/features/keys/key-format.ts';
import { ALLOWED, ask, check, checkAll } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
let nowMs = Date.now();
let scopedKey: string;
beforeAll(async () => {
  service = await startTestService({ clock: () => nowMs, settings: { ratePerKey: '5' } });
  const { body } = await ask(`${service.url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'live', name: 'erp only', allowedSystems: ['erp'], allowedWorkflows: ['w'] },
  });
  scopedKey = body.secret;
});
afterAll(() => service.stop());

interface Faulty {
  readonly path: string;
  readonly method: string;
  readonly key: string;
  readonly type: string;
  readonly body: string;
  readonly idempotencyKey: string;
}

test('404, 405, 401, 403, 429, 415, 413, 400, 422, 403, replay, 429', async () => {
  const first = await check(
    service,
    { ...ALLOWED, system: 'erp', workflowId: 'w', runId: 'first' },
    {
      headers: { 'idempotency-key': 'taken' },
      key: scopedKey,
    },
  );
  expect(first.status).toBe(200);
  // All errors together: each step below fixes the reported error, and then the next one is reported.
  let request: Faulty = {
    path: '/v9/check-write',
    method: 'PATCH',
    key: createSecret('live'),
    type: 'text/plain',
    body: `{"x":"${'x'.repeat(70_000)}"`,
    idempotencyKey: 'taken',
  };
  const told: string[] = [];
  const send = async (mend: Partial<Faulty>) => {
    request = { ...request, ...mend };
    const reply = await ask(service.url + request.path, {
      method: request.method,
      key: request.key,
      headers: { 'content-type': request.type, 'idempotency-key': request.idempotencyKey },
      body: request.body,
    });
    told.push(`${reply.status} ${reply.body?.error?.code ?? reply.body?.decision}`);
    return reply;
  };
  await send({});
  await send({ path: '/v1/check-write' });
  await send({ method: 'POST' });
  await send({ key: service.ownerKey });
  for (let used = 0; used < 5; used += 1) await check(service, {}, { key: scopedKey });
  await send({ key: scopedKey });
  nowMs += 1_000;
  await send({});
  await send({ type: 'application/json' });
  await send({ body: '{"schemaVersion":"v9","required_controls":[],"system":5' });
  await send({ body: `${request.body}}` });
  await send({ body: '{"required_controls":[],"system":5}' });
  nowMs += 1_000;
  await send({ body: '{"system":5}' });
  await send({ body: JSON.stringify(ALLOWED) });
  await send({ body: JSON.stringify({ ...ALLOWED, system: 'erp' }) });
  await send({ body: JSON.stringify({ ...ALLOWED, system: 'erp', workflowId: 'w' }) });
  expect(told).toEqual([
    '404 not_found',
    '405 method_not_allowed',
    '401 invalid_key',
    '403 insufficient_scope',
    '429 rate_limited',
    '415 unsupported_media_type',
    '413 body_too_large',
    '400 malformed_json',
    '422 unsupported_schema_version',
    '422 unknown_member',
    '422 invalid_intent',
    '403 insufficient_scope',
    '403 insufficient_scope',
    '422 idempotency_key_reused',
  ]);
});

test('a replay comes before the quota', async () => {
  const headers = { 'idempotency-key': 'before the quota'.replaceAll(' ', '-') };
  const { text } = await check(service, ALLOWED, { headers });
  // The rate of the key admits 5 a second.
  for (let round = 0; round < 200; round += 1) {
    nowMs += 1_000;
    await checkAll(service.url, service.developmentKey, Array(5).fill(ALLOWED));
  }
  nowMs += 1_000;
  expect((await check(service, ALLOWED)).body.error.code).toBe('quota_exceeded');
  const again = await check(service, ALLOWED, { headers });
  expect([again.status, again.text]).toEqual([200, text]);
});

test('all errors of a body are listed together', async () => {
  const { body } = await check(
    service,
    { system: 5, field: '', controlEvidence: [{}] },
    { key: service.liveKey },
  );
  const pointers = body.error.details.map(({ pointer }: { pointer: string }) => pointer);
  expect(pointers).toEqual(
    expect.arrayContaining(['/system', '/field', '/objectType', '/controlEvidence/0/source']),
  );
});

test('an invalid key is reported before any error in the body', async () => {
  for (const body of ['{', '\u0000', 'x'.repeat(200_000)]) {
    const reply = await ask(`${service.url}/v1/check-write`, { method: 'POST', key: 'nonsense', body });
    expect(reply.body.error.code).toBe('invalid_key');
  }
});
