/** What an observer sees: metrics, logs, traces and published documents, and never a secret. */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { createSecret } from '../../src/features/keys/key-format.ts';
import { ALLOWED, ask, check, PAUSED } from '../ask.ts';
import { rawSocket } from '../raw-socket.ts';
import { startTestService } from '../start-service.ts';

describe('metrics', () => {
  test('count decisions by outcome and code, and measure requests, commits and the queue', async () => {
    const service = await startTestService({ settings: { metricsPort: '0' } });
    for (const intent of [ALLOWED, ALLOWED, PAUSED]) await check(service, intent);
    await check(service, {});
    const { text, headers } = await ask(`${service.metricsUrl}/metrics`);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('writecheck_decisions_total{decision="allow",reason_code="requirements_met"} 2');
    expect(text).toContain(
      'writecheck_decisions_total{decision="pause",reason_code="CONTROL_EVIDENCE_MISSING"} 1',
    );
    expect(text).toContain(
      'writecheck_request_duration_seconds_count{route="/v1/check-write",status="200"} 3',
    );
    expect(text).toContain(
      'writecheck_request_duration_seconds_count{route="/v1/check-write",status="422"} 1',
    );
    expect(text).toMatch(/writecheck_commit_decisions_sum 3\b/);
    expect(text).toMatch(/writecheck_queue_depth 0\b/);
    expect((await ask(`${service.metricsUrl}/other`)).status).toBe(404);
    expect((await ask(`${service.url}/metrics`)).status).toBe(404);
    await service.stop();
  });

  test('there is no metrics port unless it is set', async () => {
    const service = await startTestService();
    expect(service.metricsUrl).toBeNull();
    await service.stop();
  });
});

test('liveness says that the process runs, readiness that it can decide', async () => {
  let isHealthy = true;
  const service = await startTestService({
    throughStore: (store) => ({
      ...store,
      health: async () => (isHealthy ? store.health() : { kind: 'failing', why: '/secret/path is full' }),
    }),
  });
  expect((await ask(`${service.url}/healthz`)).body).toEqual({ status: 'ok' });
  expect((await ask(`${service.url}/readyz`)).body).toEqual({ status: 'ok' });
  isHealthy = false;
  const isReady = async () => (await ask(`${service.url}/readyz`)).status;
  await expect.poll(isReady).toBe(503);
  const failing = await ask(`${service.url}/readyz`);
  expect([failing.status, failing.body.error.code]).toEqual([503, 'store_unavailable']);
  expect(failing.text).not.toContain('/secret');
  expect((await ask(`${service.url}/healthz`)).status).toBe(200);
  await service.stop();
});

test('secrets reach no log, error, metric or file', async () => {
  const service = await startTestService({ settings: { metricsPort: '0', logLevel: 'trace' } });
  const canaries = {
    password: 'CANARY-header-7f3a',
    mistyped: `${createSecret('live').slice(0, -1)}_`,
    unknown: createSecret('owner'),
    jws: 'eyJhbGciOiJFZERTQSJ9.eyJqdGkiOiJDQU5BUlkifQ.Q0FOQVJZLXNpZw',
  };
  const { body: made } = await ask(`${service.url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'live', name: 'x' },
  });
  const answers = [
    await check(service, ALLOWED, { key: made.secret }),
    await check(service, ALLOWED, { key: canaries.mistyped }),
    await check(service, ALLOWED, { key: canaries.unknown }),
    await check(service, ALLOWED, { headers: { authorization: `Basic ${canaries.password}` } }),
    await check(service, ALLOWED, { headers: { cookie: canaries.password, 'x-api-key': canaries.password } }),
    await ask(`${service.url}/v1/usage?key=${made.secret}`, { key: service.ownerKey }),
    await ask(`${service.url}/${made.secret}`),
    await ask(`${service.url}/v1/keys/${made.secret}`, { method: 'DELETE', key: service.ownerKey }),
    await ask(`${service.url}/v1/check-write`, {
      method: 'POST',
      key: made.secret,
      headers: { 'content-type': 'application/json' },
      body: `{"a": ${canaries.password}`,
    }),
    await check(service, {
      ...ALLOWED,
      controlEvidence: [{ controlId: 'identity', source: 's', result: 'PASS', attestation: canaries.jws }],
    }),
    await ask(`${service.url}/v1/policies`, {
      key: service.ownerKey,
      method: 'PUT',
      json: { documents: [{ kind: made.secret }] },
    }),
    await ask(`${service.url}/v1/keys`, { key: service.ownerKey }),
  ];
  const broken = await rawSocket(service.url);
  broken.send(`GET / HTTP/1.1\r\nAuthorization: Bearer ${made.secret}\r\nbroken header\r\n\r\n`);
  const cut = await broken.closed();
  const metrics = (await ask(`${service.metricsUrl}/metrics`)).text;
  const ownSecrets = [
    service.ownerKey,
    service.developmentKey,
    service.liveKey,
    made.secret,
    canaries.unknown,
  ];
  for (const secret of [...ownSecrets, canaries.password, canaries.mistyped, canaries.jws]) {
    expect(service.logged()).not.toContain(secret);
    expect(metrics).not.toContain(secret);
    expect(cut).not.toContain(secret);
    for (const { text } of answers) expect(text).not.toContain(secret);
  }
  await service.stop();
  expect(service.logged()).toContain('"msg":"answered"');
});

test('no secret is in the data folder in plain text', async () => {
  const service = await startTestService();
  const { body: made } = await ask(`${service.url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'live', name: 'x' },
  });
  await check(service, ALLOWED, { key: made.secret });
  const bytes = readdirSync(service.folder).map((name) => readFileSync(join(service.folder, name), 'latin1'));
  for (const secret of [service.ownerKey, service.developmentKey, service.liveKey, made.secret]) {
    for (const each of bytes) expect(each.includes(secret) || each.includes(secret.slice(8, 40))).toBe(false);
  }
  expect(bytes.join('')).toContain(made.key.id);
  await service.stop();
});

describe('what is published', () => {
  test('the OpenAPI document is valid, and names every route', async () => {
    const service = await startTestService();
    const { body } = await ask(`${service.url}/openapi.json`);
    expect(body.openapi).toMatch(/^3\.1\./);
    const result = await new Validator().validate(structuredClone(body));
    expect(result).toEqual({ valid: true });
    for (const path of [
      '/v1/check-write',
      '/api/v1/check-write',
      '/v1/workspaces',
      '/v1/keys/{id}/rotate',
      '/v1/policies',
      '/v1/decisions/{id}',
      '/v1/usage',
    ]) {
      expect(Object.keys(body.paths)).toContain(path);
    }
    await service.stop();
  });

  test('responses match the document', async () => {
    const service = await startTestService();
    const { body: document } = await ask(`${service.url}/openapi.json`);
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'https://x/', ...document });
    const holds = (
      path: string,
      method: string,
      { status, body, headers }: Awaited<ReturnType<typeof ask>>,
    ) => {
      const type = headers.get('content-type')!.split(';')[0]!;
      const steps = ['paths', path, method, 'responses', String(status), 'content', type, 'schema'];
      const pointer = steps
        .map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
        .join('/');
      const validate = ajv.getSchema(`https://x/#/${pointer}`);
      expect(validate, pointer).toBeDefined();
      expect(validate!(body), JSON.stringify(validate!.errors)).toBe(true);
    };
    const owner = { key: service.ownerKey };
    const decided = await check(service, PAUSED);
    holds('/v1/check-write', 'post', decided);
    holds('/v1/check-write', 'post', await check(service, ALLOWED));
    holds('/v1/check-write', 'post', await check(service, {}));
    holds('/v1/check-write', 'post', await check(service, ALLOWED, { key: 'x' }));
    holds('/v1/workspaces', 'post', await ask(`${service.url}/v1/workspaces`, { json: { name: 'x' } }));
    holds(
      '/v1/keys',
      'post',
      await ask(`${service.url}/v1/keys`, { ...owner, json: { kind: 'live', name: 'x' } }),
    );
    holds('/v1/keys', 'get', await ask(`${service.url}/v1/keys`, owner));
    holds('/v1/usage', 'get', await ask(`${service.url}/v1/usage`, owner));
    holds('/v1/usage/daily', 'get', await ask(`${service.url}/v1/usage/daily`, owner));
    holds('/v1/decisions', 'get', await ask(`${service.url}/v1/decisions`, owner));
    holds('/v1/decisions/counts', 'get', await ask(`${service.url}/v1/decisions/counts`, owner));
    holds(
      '/v1/decisions/{id}',
      'get',
      await ask(`${service.url}/v1/decisions/${decided.body.decision_id}`, owner),
    );
    holds('/v1/policies', 'get', await ask(`${service.url}/v1/policies`, owner));
    holds(
      '/v1/policies',
      'put',
      await ask(`${service.url}/v1/policies`, { ...owner, method: 'PUT', json: { documents: [] } }),
    );
    holds(
      '/v1/policies/revisions/{revision}',
      'get',
      await ask(`${service.url}/v1/policies/revisions/1`, owner),
    );
    holds('/v1/policies/revisions', 'get', await ask(`${service.url}/v1/policies/revisions`, owner));
    holds('/healthz', 'get', await ask(`${service.url}/healthz`));
    await service.stop();
  });

  test.each(['write-intent', 'action-request', 'decision'])(
    'the schema of the %s is served',
    async (name) => {
      const service = await startTestService();
      const { status, body } = await ask(`${service.url}/v1/schemas/${name}.v1.json`);
      expect(status).toBe(200);
      expect(body.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
      await service.stop();
    },
  );
});

test('with an OTLP endpoint each request becomes a span of its trace', async () => {
  const received: string[] = [];
  const collector = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push(body);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => collector.once('listening', resolve));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
  const service = await startTestService({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } });
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const continued = await check(service, ALLOWED, {
    headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
  });
  const fresh = await check(service, PAUSED);
  await service.stop();
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  collector.close();
  const spans = received
    .flatMap((body) => JSON.parse(body).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans);
  const found = (traceId: string) =>
    spans.find(
      (span: { name: string; traceId: string }) => span.traceId === traceId && span.name.startsWith('POST'),
    );
  expect(found(trace)).toMatchObject({ name: 'POST /v1/check-write', parentSpanId: '00f067aa0ba902b7' });
  expect(continued.body.traceId).toBe(trace);
  expect(found(fresh.body.traceId).parentSpanId ?? '').toBe('');
  expect(received.join('')).not.toContain(service.developmentKey);
});
