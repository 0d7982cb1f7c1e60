/** Three threads decide on PostgreSQL: each has its own log, and callers see one service. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Supervised } from '../../../cli/src/operator/supervise.ts';
import { startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { makeFirstWorkspace } from '../../src/runtime/open-store.ts';
import { ask } from '../ask.ts';
import { APPROVAL_ONCE, approved, intentOf } from '../check-kit.ts';
import { callersOf, requestOf } from '../load.ts';
import {
  askAll,
  askUntilSettled,
  CONNECTIONS,
  codesOf,
  endAll,
  startThreads,
  WORKERS,
} from './threads-kit.ts';

const data = mkdtempSync(join(tmpdir(), 'writecheck-threads-'));
let server: TestServer;
let service: Supervised;
let workspace = '';
let owner = '';
let development = '';

beforeAll(async () => {
  server = await startTestServer();
  service = await startThreads({ data, databaseUrl: await server.newDatabase() });
  const first = (await makeFirstWorkspace(service.store, Date.now()))!;
  workspace = first.workspace.id;
  owner = first.ownerKey;
  development = first.developmentKey;
}, 120_000);
afterAll(async () => {
  await service.stop();
  await server.remove();
  rmSync(data, { recursive: true, force: true });
});

const onAll = (json: unknown, extra = '') =>
  callersOf(service.url, requestOf(development, json).replace('\r\n', `\r\n${extra}`), CONNECTIONS);

test('each thread appends to its own log, and one Idempotency-Key gives one decision', async () => {
  const callers = await onAll(intentOf());
  expect(codesOf(await askAll(callers))).toEqual(['200']);
  endAll(callers);
  const grown = (await service.store.logs()).filter(({ size }) => size > 0);
  expect(grown.length).toBeGreaterThanOrEqual(WORKERS);
  const again = await onAll(intentOf(), 'Idempotency-Key: one\r\n');
  const answers = await Promise.all(again.map(askUntilSettled));
  const ids = answers.map(({ body }) => JSON.parse(body).decision_id);
  endAll(again);
  expect(new Set(ids).size).toBe(1);
});

test('an attestation for one use is used up by the first allow, whichever thread decides it', async () => {
  const json = { documents: APPROVAL_ONCE };
  expect((await ask(`${service.url}/v1/policies`, { key: owner, method: 'PUT', json })).status).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const callers = await onAll(approved(workspace, 'j1', Date.now()));
  const decisions = (await askAll(callers)).map(({ body }) => JSON.parse(body).decision);
  endAll(callers);
  expect(decisions.filter((decision) => decision === 'allow')).toHaveLength(1);
});
