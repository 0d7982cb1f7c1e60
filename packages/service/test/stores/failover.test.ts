/** @module-tag nightly */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { restoreCommand } from '../../../cli/src/operator/continue-store.ts';
import { debianPrograms, newDebianServer, newStandby } from '../../../store/test/debian-postgres.ts';
import { onServer } from '../../../store/test/test-postgres.ts';
import { ALLOWED, ask, check } from '../ask.ts';
import { startTestService, type TestService } from '../start-service.ts';
import { CutProxy } from './cut-proxy.ts';
import { startLoad } from './replica-load.ts';
import { openHouse, recordedIn, recovery, startAll, stopAll, verify } from './replicas-torture.ts';

const isInstalled = debianPrograms() !== null;
if (!isInstalled)
  console.warn('NOT RUN: the failover to a standby needs pg_basebackup; `apt-get install postgresql`');

test.skipIf(!isInstalled)(
  'three replicas follow a failover to the standby without a restart, and nothing acknowledged is lost',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'writecheck-failover-'));
    chmodSync(folder, 0o755);
    const primary = await newDebianServer(folder);
    const standby = await newStandby(folder, primary);
    // A response now waits until the standby also has the record.
    await onServer(primary.url, async (client) => {
      await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await client.query('SELECT pg_reload_conf()');
    });
    const never = async (): Promise<never> => {
      throw new Error('it is not used');
    };
    const house = await openHouse(folder, {
      ...{ url: primary.url, port: primary.port, newDatabase: async () => primary.url },
      ...{ newServiceDatabase: never, kill: never, start: never, remove: never },
    });
    const { ownerKey, secret } = await startAll(house);
    const { answers, stop } = startLoad(house.replicas, [secret], 12, 1);
    expect(await recovery(answers, performance.now())).not.toBeNull();

    await primary.kill();
    for (const proxy of house.proxies) proxy.lead(standby.port);
    await onServer(standby.url, (client) => client.query('SELECT pg_promote(true, 30)'));
    const tookMs = await recovery(answers, performance.now());
    expect(tookMs).not.toBeNull();

    await stop();
    expect([...answers.faults, ...house.deaths]).toEqual([]);
    expect(await verify(house, ownerKey, answers, standby.url)).toEqual([]);
    expect(answers.acknowledged.size).toBeGreaterThan(20);
    expect(await recordedIn(standby.url)).toBeGreaterThanOrEqual(answers.acknowledged.size);
    expect(await stopAll(house)).toEqual([]);
    await standby.kill();
    rmSync(folder, { recursive: true, force: true });
  },
  120_000,
);

test.skipIf(!isInstalled)(
  'after a failover to a standby that lacks the newest commits no replica decides, until one restore',
  async () => {
    const parent = mkdtempSync(join(tmpdir(), 'writecheck-failover-'));
    chmodSync(parent, 0o755);
    const primary = await newDebianServer(parent);
    const standby = await newStandby(parent, primary);
    const proxy = await CutProxy.to(primary.port);
    const settings = { databaseUrl: proxy.through(primary.url) };
    const folders = [mkdtempSync(join(parent, 'one-')), mkdtempSync(join(parent, 'two-'))];
    const one = await startTestService({ folder: folders[0]!, settings });
    const two = await startTestService({ folder: folders[1]!, settings });
    const key = one.liveKey;
    const statuses = async () => {
      const replies = [await check(one, ALLOWED, { key }), await check(two, ALLOWED, { key })];
      return replies.map(({ status }) => status);
    };
    expect(await statuses()).toEqual([200, 200]);
    const onStandby = async (sql: string) =>
      (await onServer(standby.url, (client) => client.query(sql))).rows;
    const lag = 'SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) AS lag';
    while ((await onStandby('SELECT 1 FROM writecheck.segment')).length < 2) await sleep(50);
    await onStandby("ALTER SYSTEM SET primary_conninfo = ''");
    await onStandby('SELECT pg_reload_conf()');
    while ((await onStandby('SELECT 1 FROM pg_stat_wal_receiver')).length > 0) await sleep(50);
    for (let i = 0; i < 5; i += 1) expect(await statuses()).toEqual([200, 200]);
    while (Number((await onStandby(lag))[0].lag) > 0) await sleep(50);
    await primary.kill();
    proxy.lead(standby.port);
    await onServer(standby.url, (client) => client.query('SELECT pg_promote(true, 30)'));

    for (let i = 0; i < 5; i += 1) expect(await statuses()).toEqual([503, 503]);
    for (const { url } of [one, two]) {
      expect((await ask(`${url}/readyz`)).status).toBe(503);
      expect((await ask(`${url}/v1/audit/checkpoint`)).status).toBe(503);
    }
    await Promise.all([one.stop(), two.stop()]);
    await restoreCommand({ freeze: false, ...settings, data: folders[0]! });
    for (const folder of folders) {
      const service = await startTestService({ folder, settings });
      expect((await check(service, ALLOWED, { key })).status).toBe(200);
      await service.stop();
    }
    await proxy.close();
    await standby.kill();
    rmSync(parent, { recursive: true, force: true });
  },
  120_000,
);

test.skipIf(!isInstalled)('a commit whose wait for the standby is cancelled allows nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'writecheck-cancelled-'));
  chmodSync(folder, 0o755);
  const primary = await newDebianServer(folder);
  // The server says with a warning that a wait was cancelled, and reports success; this setting hides warnings.
  const quiet = new URL(primary.url);
  quiet.searchParams.set('options', '-c client_min_messages=error');
  const services = [
    await startTestService({ settings: { databaseUrl: primary.url } }),
    await startTestService({ settings: { databaseUrl: quiet.href } }),
  ];
  const checked = async (service: TestService) =>
    (await check(service, ALLOWED, { key: services[0]!.liveKey })).status;
  for (const service of services) expect(await checked(service)).toBe(200);
  await onServer(primary.url, async (client) => {
    const waitForStandby = async (name: string) => {
      await client.query(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await client.query('SELECT pg_reload_conf()');
    };
    // A lease that is renewed waits too.
    const whileCancelled = async <T>(work: Promise<T>): Promise<T> => {
      let isOver = false;
      const over = () => {
        isOver = true;
      };
      work.then(over, over);
      for (; !isOver; await sleep(20)) await client.query(CANCEL_WAITS);
      return work;
    };
    // No standby has that name, so every commit waits once the server has read it.
    await waitForStandby('nobody');
    await onServer(primary.url, async (probe) => {
      let isWarned = false;
      probe.on('notice', () => {
        isWarned = true;
      });
      for (let i = 0; !isWarned; i += 1) await whileCancelled(probe.query(`CREATE TABLE probe_${i} ()`));
    });
    for (const [number, service] of services.entries()) {
      const named = { key: services[0]!.liveKey, headers: { 'idempotency-key': `call-${number}` } };
      // The first leaves its allow in the log of the primary, and no standby has it when it is asked for again.
      for (const at of [service, service, ...services]) {
        const { status, body } = await whileCancelled(check(at, ALLOWED, named));
        expect([status, body.allowed]).toEqual([503, false]);
      }
    }
    await waitForStandby('');
  });
  for (const service of services) {
    await expect.poll(() => checked(service)).toBe(200);
    await service.stop();
  }
  await primary.kill();
  rmSync(folder, { recursive: true, force: true });
});

const CANCEL_WAITS =
  "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> pg_backend_pid()";
