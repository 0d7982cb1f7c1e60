/**
 * Faults under a service with three deciding threads: none of them allows what a single thread would not.
 * @module-tag nightly
 */
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR_MS } from '@writecheck/contract';
import { Frontier } from '@writecheck/ledger';
import { ForkAlarm } from '@writecheck/store/append-guard';
import { databasePath } from '@writecheck/store/sqlite/open-database';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Supervised } from '../../../cli/src/operator/supervise.ts';
import { openAudit } from '../../src/features/audit/open-audit.ts';
import { makeFirstWorkspace, openStore } from '../../src/runtime/open-store.ts';
import { MachineClock } from '../../src/support/clocks/clock-reference.ts';
import { ask } from '../ask.ts';
import { APPROVAL_ONCE, approved, intentOf } from '../check-kit.ts';
import { type Caller, callersOf, requestOf } from '../load.ts';
import { askAll, CONNECTIONS, codesOf, endAll, startThreads } from './threads-kit.ts';

const folder = mkdtempSync(join(tmpdir(), 'writecheck-threads-'));
let service: Supervised;
let workspace = '';
let owner = '';
let live = '';

async function firstKeys(): Promise<void> {
  const first = (await makeFirstWorkspace(service.store, Date.now()))!;
  workspace = first.workspace.id;
  owner = first.ownerKey;
  const { body } = await ask(`${service.url}/v1/keys`, { key: owner, json: { kind: 'live', name: 'a key' } });
  live = body.secret;
}

const onAll = (json: unknown = intentOf()): Promise<Caller[]> =>
  callersOf(service.url, requestOf(live, json), CONNECTIONS);

beforeAll(async () => {
  service = await startThreads({ data: folder, logLevel: 'fatal' });
  await firstKeys();
}, 120_000);
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('an attestation for one use is used up by the first allow, whichever thread decides it', async () => {
  const json = { documents: APPROVAL_ONCE };
  expect((await ask(`${service.url}/v1/policies`, { key: owner, method: 'PUT', json })).status).toBe(200);
  // Each thread knows by then.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const callers = await onAll(approved(workspace, 'j1', Date.now()));
  const decisions = (await askAll(callers)).map(({ body }) => JSON.parse(body).decision);
  endAll(callers);
  expect(decisions.filter((decision) => decision === 'allow')).toHaveLength(1);
  expect(decisions.filter((decision) => decision === 'pause')).toHaveLength(CONNECTIONS - 1);
});

test('a removed database file is 503 on every thread, and each decides again once it is back', async () => {
  const callers = await onAll();
  expect(codesOf(await askAll(callers))).toEqual(['200']);
  const path = databasePath(folder);
  renameSync(path, `${path}.away`);
  expect(codesOf(await askAll(callers))).toEqual(['503 store_unavailable']);
  expect((await ask(`${service.url}/readyz`)).status).toBe(503);
  renameSync(`${path}.away`, path);
  await expect.poll(async () => codesOf(await askAll(callers))).toEqual(['200']);
  endAll(callers);
});

test('once the main thread finds a log that is not the signed one, no thread allows any write', async () => {
  const callers = await onAll();
  expect(codesOf(await askAll(callers))).toEqual(['200']);
  const forked = async () =>
    Number(/^writecheck_log_forked (\d)/m.exec((await ask(`${service.metricsUrl}/metrics`)).text)![1]);
  expect(await forked()).toBe(0);
  const db = new Database(databasePath(folder));
  const { size } = db.prepare('SELECT size FROM log').get() as { readonly size: number };
  const other = new Frontier();
  for (let i = 0; i < size; i += 1) other.append(new Uint8Array(32).fill(7));
  db.prepare('UPDATE log SET frontier = ?').run(Buffer.from(other.toBytes()));
  db.close();
  // Only the main thread compares: the others do so only for a receipt, which nobody requests here.
  const refusals = async () => codesOf(await Promise.all(callers.slice(0, 1).map((caller) => caller.ask())));
  await expect.poll(refusals, { interval: 20 }).toEqual(['503 store_unavailable']);
  for (let round = 0; round < 3; round += 1)
    expect(codesOf(await askAll(callers))).toEqual(['503 store_unavailable']);
  expect(await forked()).toBe(1);
  const ready = await ask(`${service.url}/readyz`);
  expect([ready.status, ready.text]).toEqual([503, expect.stringContaining('not the one that was signed')]);
  endAll(callers);
});

test('a clock that was set ahead while the service was stopped is noticed by every thread', async () => {
  const data = mkdtempSync(join(tmpdir(), 'writecheck-threads-'));
  const store = await openStore({ data });
  const { developmentKey } = (await makeFirstWorkspace(store, Date.now()))!;
  const before = new MachineClock(Date.now() - 2 * HOUR_MS);
  const config = { data, signingKey: null, databaseUrl: null };
  const options = { alarm: new ForkAlarm(), clock: () => before.anchor };
  await (await openAudit(config, store, Date.now(), options)).sign();
  await store.close();
  const ahead = await startThreads({ data, logLevel: 'fatal' });
  const callers = await callersOf(ahead.url, requestOf(developmentKey, intentOf()), CONNECTIONS);
  expect(codesOf(await askAll(callers))).toEqual(['503 clock_ahead']);
  endAll(callers);
  await ahead.stop();
  rmSync(data, { recursive: true });
});
