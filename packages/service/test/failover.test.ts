import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { debianPrograms, newDebianServer, newStandby } from './debian-postgres.ts';
import { startLoad } from './replica-load.ts';
import { openHouse, recordedIn, recovery, startAll, stopAll, verify } from './replicas-torture.ts';
import { onServer } from './test-postgres.ts';

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
    // From here on a response waits until the standby has the record too.
    await onServer(primary.url, async (client) => {
      await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await client.query('SELECT pg_reload_conf()');
    });
    const never = async (): Promise<never> => {
      throw new Error('it is not used');
    };
    const house = await openHouse(folder, {
      ...{ url: primary.url, port: primary.port, newDatabase: async () => primary.url },
      ...{ kill: never, start: never, remove: never },
    });
    const { ownerKey, secret } = await startAll(house);
    const { answers, stop } = startLoad(house.replicas, secret, 12, 1);
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
