/** A database that lost its newest commits, as a failover to a lagging standby may lose them. */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ForkAlarm } from '@writecheck/store/append-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restoreCommand } from '../../../cli/src/operator/continue-store.ts';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { readKeptCheckpoint } from '../../src/features/audit/kept-checkpoint.ts';
import { openAudit } from '../../src/features/audit/open-audit.ts';
import { openStore } from '../../src/runtime/open-store.ts';
import { ALLOWED, ask, check } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { newFolder } from './audit-kit.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.remove());

const TABLES = ['log', 'segment', 'node', 'checkpoint', 'freeze', 'freeze_number'];

/** Remembers the logs as they are now; the function puts them back and cuts every connection. */
async function standbyOf(url: string): Promise<() => Promise<void>> {
  const copies = TABLES.map((table) => `CREATE TABLE kept_${table} AS TABLE writecheck.${table}`);
  await onServer(url, (client) => client.query(copies.join(';')));
  return async () => {
    await onServer(url, (client) =>
      client.query(
        [
          'BEGIN',
          'SET LOCAL session_replication_role = replica',
          ...TABLES.flatMap((table) => [
            `DELETE FROM writecheck.${table}`,
            `INSERT INTO writecheck.${table} SELECT * FROM kept_${table}`,
          ]),
          'COMMIT',
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        ].join(';'),
      ),
    );
  };
}

const signed = async (service: TestService) =>
  (await ask(`${service.url}/v1/audit/checkpoint?log=${service.store.log}`)).status;

test('no replica decides or signs on a log that lost its tail, and one restore fixes it for every folder', {
  tags: 'nightly',
  timeout: 60_000,
}, async () => {
  const databaseUrl = await server.newDatabase();
  const settings = { databaseUrl };
  const folders = [newFolder(), newFolder()] as const;
  const one = await startTestService({ folder: folders[0], settings });
  const two = await startTestService({ folder: folders[1], settings });
  const key = one.liveKey;
  for (const service of [one, two]) expect((await check(service, ALLOWED, { key })).status).toBe(200);
  expect([await signed(one), await signed(two)]).toEqual([200, 200]);
  const failOver = await standbyOf(databaseUrl);
  for (let i = 0; i < 3; i += 1) expect((await check(two, ALLOWED, { key })).status).toBe(200);
  expect(await signed(two)).toBe(200);
  // Waits until the file beside the database shows what was signed.
  const keptSize = () => readKeptCheckpoint(folders[1])?.note.split('\n')[1];
  await expect.poll(keptSize).toBe('4');
  await failOver();

  // Over connections that stay open from the first check on.
  const replies = [];
  for (let i = 0; i < 4; i += 1) replies.push(await check(two, ALLOWED, { key }));
  expect(replies.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
  expect(replies.at(-1)!.body.error.message).toContain('audit restore');
  expect((await check(one, ALLOWED, { key })).status).toBe(503);
  expect([await signed(one), await signed(two)]).toEqual([503, 503]);
  expect((await ask(`${one.url}/readyz`)).status).toBe(503);
  expect((await ask(`${two.url}/readyz`)).status).toBe(503);
  // A pod with an empty folder has seen nothing itself.
  const empty = newFolder();
  const store = await openStore({ data: empty, ...settings });
  const config = { data: empty, signingKey: null, ...settings };
  const opened = openAudit(config, store, Date.now(), { alarm: new ForkAlarm() });
  await expect(opened).rejects.toThrow(/were lost.*stop all replicas.*audit restore/);
  await store.close();
  rmSync(empty, { recursive: true });
  await Promise.all([one.stop(), two.stop()]);

  const logs = async () =>
    (await onServer(databaseUrl, (c) => c.query('SELECT log FROM writecheck.log'))).rows;
  const before = (await logs()).length;
  await restoreCommand({ freeze: false, ...settings, data: folders[0] });
  expect(await logs()).toHaveLength(before + 2);
  await restoreCommand({ freeze: false, ...settings, data: folders[0] });
  expect(await logs()).toHaveLength(before + 2);
  for (const folder of folders) {
    const service = await startTestService({ folder, settings });
    expect((await check(service, ALLOWED, { key })).status).toBe(200);
    if (folder === folders[1])
      await expect.poll(() => service.logged()).toContain('the logs were continued since');
    await service.stop();
  }
  for (const folder of folders) rmSync(folder, { recursive: true });
});

test('a replica that remains alone with what it saw of another one still refuses', {
  tags: 'nightly',
  timeout: 60_000,
}, async () => {
  const databaseUrl = await server.newDatabase();
  const settings = { databaseUrl };
  const one = await startTestService({ settings });
  const two = await startTestService({ settings });
  const key = one.liveKey;
  await check(one, ALLOWED, { key });
  const restoring = restoreCommand({ freeze: false, ...settings, data: one.folder });
  await expect(restoring).rejects.toThrow('stop all replicas first');
  const failOver = await standbyOf(databaseUrl);
  await check(two, ALLOWED, { key });
  // Long enough for the other to see it.
  await sleep(1_500);
  await two.stop();
  await failOver();
  expect((await check(one, ALLOWED, { key })).status).toBe(503);
  await one.stop();
});

test('a freeze that a failover lost lets nothing through: no replica decides until a restore, which freezes everything', {
  tags: 'nightly',
  timeout: 60_000,
}, async () => {
  const settings = { databaseUrl: await server.newDatabase() };
  const folder = newFolder();
  const one = await startTestService({ folder, settings });
  const two = await startTestService({ settings });
  const { liveKey: key, ownerKey } = one;
  const before = await check(two, ALLOWED, { key });
  expect(before.body.decision).toBe('allow');
  const redeem = (service: TestService) =>
    ask(`${service.url}/v1/decisions/${before.body.decision_id}/redeem`, {
      key,
      json: { intentDigest: before.body.intentDigest },
    });
  const failOver = await standbyOf(settings.databaseUrl);
  const frozen = await ask(`${one.url}/v1/freezes`, { key: ownerKey, json: { reason: 'stop' } });
  expect(frozen.status).toBe(201);
  await failOver();
  for (const service of [one, two, one, two]) {
    expect((await check(service, ALLOWED, { key })).status).toBe(503);
    expect((await redeem(service)).status).toBe(503);
  }
  await Promise.all([one.stop(), two.stop()]);
  await restoreCommand({ freeze: true, data: folder, ...settings });
  const restored = await startTestService({ folder, settings });
  expect((await check(restored, ALLOWED, { key })).body).toMatchObject({
    decision: 'pause',
    reason_code: 'frozen',
    reason: 'restored from a backup',
  });
  expect((await redeem(restored)).status).toBe(409);
  await restored.stop();
  rmSync(folder, { recursive: true });
});

test('a log that was still empty does not start a second time after a restore', {
  tags: 'nightly',
}, async () => {
  const settings = { databaseUrl: await server.newDatabase() };
  const folder = newFolder();
  const one = await startTestService({ folder, settings });
  const idle = await startTestService({ settings });
  const key = one.liveKey;
  expect((await check(one, ALLOWED, { key })).status).toBe(200);
  const failOver = await standbyOf(settings.databaseUrl);
  expect((await check(idle, ALLOWED, { key })).status).toBe(200);
  const { log: lost } = idle.store;
  await failOver();
  await Promise.all([one.stop(), idle.stop()]);
  await restoreCommand({ freeze: false, data: folder, ...settings });

  const restored = [await startTestService({ folder, settings }), await startTestService({ settings })];
  for (const service of restored) expect((await check(service, ALLOWED, { key })).status).toBe(200);
  const { logs } = (await ask(`${restored[0]!.url}/v1/audit/logs`)).body;
  expect(logs).toContainEqual(expect.objectContaining({ log: lost, size: 0, isOpen: false }));
  await Promise.all(restored.map((service) => service.stop()));
  rmSync(folder, { recursive: true });
});
