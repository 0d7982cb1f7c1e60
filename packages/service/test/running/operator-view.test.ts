/** What an operator sees while the service runs: state in metrics, names in the log, steps in traces. */
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { VERSION } from '@writecheck/contract';
import { StoreUnavailable } from '@writecheck/store/port';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { newRequest, newWorkspace } from '../../../store/test/store-contract/store-contract-values.ts';
import { startTestServer } from '../../../store/test/test-postgres.ts';
import { ALLOWED, ask, check } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';

const START_MS = Date.parse('2026-11-16T12:00:00Z');
let nowMs = START_MS;
let service: TestService;
let commitFails: StoreUnavailable | null = null;
let healthFails = false;
let readFails: StoreUnavailable | null = null;
let isIndexBehind = false;
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
});

beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', () => resolve()));
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
  service = await startTestService({
    settings: { metricsPort: '0', logLevel: 'info' },
    clock: () => nowMs,
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    // `commitFindsTwins` is left out, so a check reads whether its `Idempotency-Key` was used.
    throughStore: ({ commitFindsTwins: _, ...store }) => ({
      ...store,
      commit: (...asked) => (commitFails === null ? store.commit(...asked) : Promise.reject(commitFails)),
      listDecisions: (query) =>
        isIndexBehind
          ? Promise.reject(new StoreUnavailable('behind', 'the search index is being filled'))
          : store.listDecisions(query),
      findAnswer: (...asked) => (readFails === null ? store.findAnswer(...asked) : Promise.reject(readFails)),
      health: async () => (healthFails ? { kind: 'failing', why: 'down' } : store.health()),
    }),
  });
});
afterAll(async () => {
  await service.stop();
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  collector.close();
});

/** The value of one series, such as `writecheck_ready` or `writecheck_unready{why="store"}`. */
const metric = async (series: string): Promise<number> => {
  const { text } = await ask(`${service.metricsUrl}/metrics`);
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? Number.NaN : Number(line.slice(series.length + 1));
};

const ready = async () => (await ask(`${service.url}/readyz`)).status;

describe('metrics', () => {
  test('show what runs, how large it is and which policies decide', async () => {
    const named = { ...ALLOWED, operation: 'customer.update', runId: 'run-1', metadata: { agent: 'robot' } };
    expect((await check(service, named)).status).toBe(200);
    const built = `version="${VERSION}",commit="unknown",node="${process.version}",store="sqlite"`;
    expect(await metric(`writecheck_build_info{${built}}`)).toBe(1);
    expect(await metric('writecheck_database_bytes')).toBeGreaterThan(10_000);
    expect(await metric('writecheck_disk_free_bytes')).toBeGreaterThan(0);
    expect(await metric('writecheck_index_behind_entries')).toBeGreaterThanOrEqual(0);
    expect(await metric(`writecheck_policy_revision{workspace="${service.workspace}"}`)).toBe(0);
    expect(await metric('writecheck_log_forked')).toBe(0);
    expect(await metric('writecheck_log_unsigned_seconds')).toBeLessThan(30);
  });

  test('show that the signed state cannot be kept beside the database', async () => {
    const unsigned = () => metric('writecheck_log_unsigned_seconds');
    const inTheWay = join(service.folder, 'newest-checkpoint');
    // Nothing is written meanwhile, so everything is signed.
    await expect.poll(unsigned).toBeLessThan(0.01);
    rmSync(inTheWay);
    mkdirSync(inTheWay);
    await check(service, ALLOWED);
    await expect.poll(unsigned).toBeGreaterThan(0.5);
    await expect.poll(() => service.logged()).toContain('the log could not be signed');
    rmSync(inTheWay, { recursive: true });
    await expect.poll(unsigned).toBeLessThan(0.5);
  });

  test('count refusals by code', async () => {
    const before = await metric('writecheck_refusals_total{code="invalid_key"}');
    expect(before).toBe(0);
    await check(service, ALLOWED, { key: 'wck_dev_wrong' });
    await check(service, {});
    expect(await metric('writecheck_refusals_total{code="invalid_key"}')).toBe(1);
    expect(await metric('writecheck_refusals_total{code="invalid_intent"}')).toBe(1);
  });

  test('show that the service is ready, or why not', async () => {
    expect(await metric('writecheck_ready')).toBe(1);
    nowMs -= 61_000;
    await expect.poll(() => metric('writecheck_unready{why="clock_behind"}')).toBe(1);
    expect(await metric('writecheck_ready')).toBe(0);
    expect(await metric('writecheck_clock_behind_seconds')).toBe(61);
    nowMs = START_MS;
    healthFails = true;
    await expect.poll(() => metric('writecheck_unready{why="store"}')).toBe(1);
    expect(await metric('writecheck_unready{why="clock_behind"}')).toBe(0);
    healthFails = false;
    await expect.poll(() => metric('writecheck_ready')).toBe(1);
  });

  test('show the revision that decides', async () => {
    const json = { documents: [{ kind: 'Defaults', writePolicy: 'enforce' }] };
    await ask(`${service.url}/v1/policies`, { method: 'PUT', key: service.ownerKey, json });
    // The notice of the change drops what was loaded just before it.
    const revision = async () => {
      await check(service, ALLOWED);
      return metric(`writecheck_policy_revision{workspace="${service.workspace}"}`);
    };
    await expect.poll(revision).toBe(1);
  });
});

test('a list is refused while the index is far behind, but checks are not', async () => {
  const list = () => ask(`${service.url}/v1/decisions`, { key: service.ownerKey });
  isIndexBehind = true;
  const { status, body, headers } = await list();
  expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'store_unavailable', '5']);
  expect(body.error.message).toContain('the search index is being filled');
  expect((await check(service, ALLOWED)).status).toBe(200);
  expect(service.logged()).not.toContain('the store is unavailable');
  isIndexBehind = false;
  expect((await list()).status).toBe(200);
});

test('a check that cannot read the store says why, and the log has the cause', async () => {
  readFails = new StoreUnavailable('io', 'the disk failed', new Error('EIO: i/o error, read'));
  const refused = await check(service, ALLOWED, { headers: { 'idempotency-key': 'unreadable' } });
  readFails = null;
  expect(refused).toMatchObject({ status: 503, body: { error: { message: 'the disk failed' } } });
  const line = service
    .logged()
    .split('\n')
    .find((one) => one.includes('the store is unavailable'));
  expect(line).toContain('EIO: i/o error, read');
});

describe('readiness', () => {
  /** The time that readiness uses; it stands still, so that nothing recovers by mere waiting. */
  let laterMs = 0;
  beforeEach(() => {
    laterMs = 0;
    const startedMs = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => startedMs + laterMs);
    return () => clock.mockRestore();
  });
  /** The next probe tries a write; other failures count for five seconds. */
  const PROBE_AGAIN_MS = 600;

  test('returns as soon as a write succeeds after the store was unreachable', async () => {
    commitFails = new StoreUnavailable('io', 'the database cannot be reached');
    expect((await check(service, ALLOWED)).status).toBe(503);
    commitFails = null;
    laterMs = PROBE_AGAIN_MS;
    expect(await ready()).toBe(200);
  });

  test('does not return because of a small write after the disk was full', async () => {
    commitFails = new StoreUnavailable('full', 'the disk is full');
    expect((await check(service, ALLOWED)).status).toBe(503);
    commitFails = null;
    laterMs = PROBE_AGAIN_MS;
    expect(await ready()).toBe(503);
    expect((await check(service, ALLOWED)).status).toBe(200);
    expect(await ready()).toBe(200);
  });
});

test('the log names the author of a management call, and counts refused authentications', async () => {
  const made = await ask(`${service.url}/v1/keys`, {
    key: service.ownerKey,
    json: { kind: 'live', name: 'x' },
  });
  expect(made.status).toBe(201);
  const { body } = await ask(`${service.url}/v1/keys`, { key: service.ownerKey });
  const owner = body.keys.find(({ kind }: { readonly kind: string }) => kind === 'owner').id;
  const lines = () =>
    service
      .logged()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  expect(lines().findLast(({ msg }) => msg === 'answered')).toMatchObject({
    route: '/v1/keys',
    status: 201,
    workspace: service.workspace,
    actor: owner,
  });
  await check(service, ALLOWED, { key: 'wck_dev_wrong' });
  await ask(`${service.url}/v1/keys`);
  await service.stop();
  // One line a minute; a slow run has several.
  const counted = lines().filter(({ mostByAddress }) => mostByAddress !== undefined);
  const sum = (of: (line: (typeof counted)[number]) => number | undefined) =>
    counted.reduce((total, line) => total + (of(line) ?? 0), 0);
  expect(sum(({ codes }) => codes.invalid_key)).toBe(2);
  expect(sum(({ codes }) => codes.missing_key)).toBe(1);
  expect(sum(({ mostByAddress }) => mostByAddress['127.0.0.1'])).toBe(3);
  expect(new Set(counted.map(({ level }) => level))).toEqual(new Set(['info']));
  service = await startTestService();
});

test('a trace has the decision, with spans for deciding and committing, and no probes', async () => {
  interface Span {
    readonly name: string;
    readonly spanId: string;
    readonly parentSpanId?: string;
    readonly startTimeUnixNano: string;
    readonly endTimeUnixNano: string;
    readonly attributes: readonly {
      readonly key: string;
      readonly value: { readonly stringValue?: string };
    }[];
  }
  const resources = received.flatMap((body) => JSON.parse(body).resourceSpans);
  const spans: readonly Span[] = resources
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans: some }) => some);
  const requests = spans.filter(({ name }) => name === 'POST /v1/check-write');
  const allowed = requests.find(({ attributes }) =>
    attributes.some(({ key, value }) => key === 'writecheck.decision' && value.stringValue === 'allow'),
  )!;
  const under = spans.filter(({ parentSpanId }) => parentSpanId === allowed.spanId);
  expect(under.map(({ name }) => name).sort()).toEqual(['commit', 'decide']);
  for (const { startTimeUnixNano, endTimeUnixNano } of under) {
    expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(allowed.startTimeUnixNano));
    expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(BigInt(allowed.endTimeUnixNano) + 1_000_000n);
  }
  expect(allowed.attributes.map(({ key }) => key)).toContain('writecheck.decision_id');
  const named = requests.flatMap(({ attributes }) =>
    attributes
      .filter(({ key }) => key.startsWith('gen_ai.'))
      .map(({ key, value }) => `${key} ${value.stringValue}`),
  );
  expect(named).toEqual(
    expect.arrayContaining([
      'gen_ai.tool.name customer.update',
      'gen_ai.agent.name robot',
      'gen_ai.conversation.id run-1',
    ]),
  );
  expect(spans.filter(({ name }) => /healthz|readyz/.test(name))).toEqual([]);
  expect(JSON.stringify(resources[0].resource)).toContain(VERSION);
});

test('a database shows its size and how far the index is behind', async () => {
  const server = await startTestServer();
  const store = await openPostgresStore(await server.newDatabase());
  try {
    const made = newWorkspace();
    await store.createWorkspace(made.workspace, made.keys);
    await store.commit([newRequest(made.workspace.id)], []);
    expect((await store.figures()).databaseBytes).toBeGreaterThan(1_000_000);
    expect((await store.figures()).diskFreeBytes).toBeNull();
    await store.listDecisions({ workspace: made.workspace.id, limit: 1 });
    expect((await store.figures()).indexBehind).toBe(0);
  } finally {
    await store.close();
    await server.remove();
  }
});
