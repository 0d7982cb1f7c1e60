/**
 * The primary dies under load and Patroni puts the standby in its place.
 * @module-tag nightly
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../ask.ts';
import { ownerKeyOf, runWritecheck, type Spawned, spawnWritecheck } from '../spawn-service.ts';
import { type Cluster, isPatroniInstalled, startCluster } from './patroni-cluster.ts';
import { type Answers, bodyOf, type Replica, startLoad } from './replica-load.ts';
import { stopAll, verify } from './replicas-torture.ts';

const isInstalled = isPatroniInstalled();
if (!isInstalled)
  console.warn('NOT RUN: the fail-over by Patroni needs `apt-get install patroni etcd-server postgresql`');

const LIMIT = { kind: 'Limit', id: 'emails', match: { system: 'crm' }, max: 1_000_000, per: '7h' };
const LANES = 8;
/** Twice the time Patroni may take, plus what a busy machine adds. */
const ANSWERED_WITHIN_MS = 90_000;

/** When both replicas have returned a decision after this moment, in milliseconds from it. */
const untilAllAnswer = async ({ answeredAtMs }: Answers, fromMs: number): Promise<number> => {
  while (answeredAtMs.some((atMs) => atMs <= fromMs)) {
    if (performance.now() - fromMs > ANSWERED_WITHIN_MS) throw new Error('a replica does not answer again');
    await sleep(10);
  }
  return Math.max(...answeredAtMs) - fromMs;
};

describe.skipIf(!isInstalled)('Patroni in synchronous mode, and two replicas', () => {
  let folder: string;
  let cluster: Cluster;
  const replicas: (Replica & { spawned: Spawned | null })[] = [];
  let ownerKey: string;
  /** Used by the lanes in turn: three of a live key, one of a development key. */
  let keys: readonly string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'writecheck-patroni-'));
    chmodSync(folder, 0o755);
    cluster = await startCluster(folder);
    for (const name of ['a', 'b']) {
      const data = ['--port', '0', '--data', mkdtempSync(join(folder, `replica-${name}-`))];
      const spawned = spawnWritecheck(['serve', ...data, '--log-level', 'silent'], {
        WRITECHECK_DATABASE_URL: cluster.url,
      });
      replicas.push({ url: await spawned.listening, spawned });
    }
    ownerKey = ownerKeyOf(replicas[0]!.spawned!.stdout());
    const owner = { key: ownerKey };
    const { url } = replicas[0]!;
    const made = await ask(`${url}/v1/keys`, { ...owner, json: { kind: 'live', name: 'load' } });
    const { body } = await ask(`${url}/v1/keys`, { ...owner, json: { kind: 'development', name: 'quota' } });
    keys = [made.body.secret, made.body.secret, made.body.secret, body.secret];
    const documents = [{ kind: 'Profile', id: 'crm', match: { system: 'crm' }, permit: true }, LIMIT];
    const applied = await ask(`${url}/v1/policies`, { ...owner, method: 'PUT', json: { documents } });
    expect(applied.status).toBe(200);
  }, 180_000);

  afterAll(async () => {
    for (const { spawned } of replicas) spawned!.child.kill('SIGKILL');
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('lose and double nothing when the primary is killed twice and then isolated, and counts match the log', async () => {
    const { answers, stop } = startLoad(replicas, keys, LANES, 1);
    const seconds: string[] = [];
    for (let kill = 0; kill < 2; kill += 1) {
      const primary = await cluster.untilSynchronous();
      await untilAllAnswer(answers, performance.now());
      await cluster.kill(primary);
      seconds.push(((await untilAllAnswer(answers, performance.now())) / 1_000).toFixed(1));
      cluster.start(primary);
    }
    // A primary that Patroni cannot stop: it still takes writes, and no standby confirms them.
    const abandoned = await cluster.untilSynchronous();
    await untilAllAnswer(answers, performance.now());
    await cluster.killPatroni(abandoned);
    await cluster.untilReplaced(abandoned);
    const refused = answers.refused;
    await expect.poll(() => answers.refused, { timeout: 30_000 }).toBeGreaterThan(refused + LANES);
    cluster.start(abandoned);
    const fencedAtMs = performance.now();
    seconds.push(((await untilAllAnswer(answers, fencedAtMs)) / 1_000).toFixed(1));
    await cluster.untilSynchronous();
    await stop();
    console.log(
      `Patroni: both replicas answered ${seconds.join(' s, ')} s after it; ${answers.acknowledged.size} acknowledged, ${answers.refused} refused, ${answers.replayed} replayed`,
    );
    expect(answers.faults).toEqual([]);
    expect(answers.acknowledged.size).toBeGreaterThan(50);

    // A repeated request gets the same response, from either replica.
    const repeatable = [...answers.acknowledged].filter(([, { isRepeatable }]) => isRepeatable);
    for (const [i, [objectRef, { key, text }]] of repeatable.entries()) {
      const again = await ask(`${replicas[i % 2]!.url}/v1/check-write`, {
        key,
        headers: { 'idempotency-key': objectRef },
        json: JSON.parse(bodyOf(objectRef)),
      });
      expect(again.text).toBe(text);
    }
    expect(await verify({ url: cluster.url, replicas }, ownerKey, answers)).toEqual([]);
    const { body } = await ask(`${replicas[0]!.url}/v1/limits/emails`, { key: ownerKey });
    const usage = await ask(`${replicas[1]!.url}/v1/usage`, { key: ownerKey });
    expect(Number(body.groups[0].drawn)).toBe(usage.body.live.used);

    const environment = { WRITECHECK_URL: replicas[0]!.url!, WRITECHECK_OWNER_KEY: ownerKey };
    const [file, verifier] = [join(folder, 'all.ndjson.zst'), join(folder, 'keys')];
    expect(await runWritecheck(['audit', 'export', '--out', file], environment)).toMatchObject({ code: 0 });
    writeFileSync(verifier, (await ask(`${replicas[0]!.url}/v1/audit/key`)).text);
    expect(await runWritecheck(['audit', 'verify', file, '--keys', verifier], environment)).toMatchObject({
      code: 0,
    });

    expect(await stopAll({ replicas, proxies: [] })).toEqual([]);
    const store = await openPostgresStore(cluster.url, { isWriter: false });
    const { differed } = await store.rebuildDraws();
    await store.close();
    expect(differed).toBe(0);
  }, 600_000);
});
