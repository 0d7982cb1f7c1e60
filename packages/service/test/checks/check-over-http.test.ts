import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ALLOWED, ask, check, PAUSED } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('a check over HTTP', () => {
  test('an intent whose controls have evidence is allowed, one without is paused, on both paths alike', async () => {
    for (const path of ['/v1/check-write', '/api/v1/check-write']) {
      const allowed = await ask(service.url + path, { key: service.liveKey, json: ALLOWED });
      expect(allowed.status).toBe(200);
      expect(allowed.body).toMatchObject({
        decision: 'allow',
        allowed: true,
        reason_code: 'requirements_met',
      });
      const paused = await ask(service.url + path, { key: service.liveKey, json: PAUSED });
      expect(paused.body).toMatchObject({
        decision: 'pause',
        allowed: false,
        reason_code: 'CONTROL_EVIDENCE_MISSING',
      });
    }
  });

  test('a request id and a trace are continued, and the id is sent back as a header', async () => {
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { 'x-request-id': 'mine-1', traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    const reply = await check(service, PAUSED, { headers });
    expect(reply.headers.get('x-request-id')).toBe('mine-1');
    expect(reply.body).toMatchObject({ request_id: 'mine-1', traceId: trace });
    const refused = await check(service, {}, { headers });
    expect(refused.body).toMatchObject({ request_id: 'mine-1', traceId: trace });
    expect((await check(service, PAUSED)).headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/);
  });

  test('a check with a limit returns what is left, one without does not', async () => {
    const limited = await check(service, PAUSED);
    expect(limited.headers.get('ratelimit-policy')).toMatch(/^"development";q=1000;w=\d+$/);
    expect(limited.headers.get('ratelimit')).toMatch(/^"development";r=\d+;t=\d+$/);
    const unlimited = await check(service, PAUSED, { key: service.liveKey });
    expect(unlimited.headers.get('ratelimit')).toBeNull();
  });

  test('the same idempotency key returns the same bytes again, and charges once', async () => {
    const before = await ask(`${service.url}/v1/usage`, { key: service.ownerKey });
    const headers = { 'idempotency-key': 'once' };
    const first = await check(service, ALLOWED, { headers });
    const second = await check(service, ALLOWED, { headers });
    expect(second.text).toBe(first.text);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const after = await ask(`${service.url}/v1/usage`, { key: service.ownerKey });
    expect(after.body.used).toBe(before.body.used + 1);
    expect((await check(service, PAUSED, { headers })).body.error.code).toBe('idempotency_key_reused');
  });

  test('a body may come in many chunks, with a charset, and with an expectation', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(ALLOWED));
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const init = {
      method: 'POST',
      key: service.developmentKey,
      headers,
      body,
      duplex: 'half',
    } as RequestInit;
    expect((await ask(`${service.url}/v1/check-write`, init)).body.decision).toBe('allow');
  });

  test('a GET route accepts HEAD and returns no body, and OPTIONS lists the methods', async () => {
    const head = await ask(`${service.url}/healthz`, { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    const options = await ask(`${service.url}/v1/keys`, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
  });

  test('only a decision is charged', async () => {
    const before = (await ask(`${service.url}/v1/usage`, { key: service.ownerKey })).body.used;
    await check(service, { system: 'crm' });
    await ask(`${service.url}/v1/check-write`, {
      key: service.developmentKey,
      method: 'POST',
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    await check(service, ALLOWED, { key: service.ownerKey });
    const after = await ask(`${service.url}/v1/usage`, { key: service.developmentKey });
    expect(after.body.used).toBe(before);
    expect(after.body.remaining).toBe(1_000 - before);
  });
});
