/**
 * Three replicas on one PostgreSQL while everything around them breaks: nothing acknowledged is lost, nothing is
 * allowed without a record, and all of them respond again within seconds without a restart.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ExportVerifier, Frontier, leafHash, parseLeaf } from '@writecheck/ledger';
import { openPostgresStore } from '@writecheck/store/postgres/postgres-store';
import pg from 'pg';
import { seededRandom } from '../../../../scripts/seeded-random.ts';
import { onServer, startTestServer, type TestServer } from '../../../store/test/test-postgres.ts';
import { tortureFolder } from '../running/kill-torture.ts';
import { ownerKeyOf, type Spawned, spawnWritecheck } from '../spawn-service.ts';
import { CUTS, type Cut, CutProxy } from './cut-proxy.ts';
import { type Answers, type Replica, startLoad } from './replica-load.ts';

const REPLICAS = 3;
const RECOVERED_WITHIN_MS = 5_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface House {
  readonly server: TestServer;
  readonly url: string;
  readonly proxies: readonly CutProxy[];
  readonly replicas: (Replica & { spawned: Spawned | null })[];
  /** Replicas that ended by themselves. */
  readonly deaths: readonly string[];
  start(index: number): Promise<string>;
}

export const FAULTS = {
  /** The power fails, and comes back. */
  'database killed': async ({ server }: House, random: () => number) => {
    await server.kill();
    await pause(200 + random() * 800);
    await server.start();
  },
  'replica killed': async (house: House, random: () => number) => {
    const index = Math.floor(random() * REPLICAS);
    const replica = house.replicas[index]!;
    const { spawned } = replica;
    replica.url = null;
    spawned!.child.kill('SIGKILL');
    await spawned!.finished;
    await house.start(index);
  },
  'connections refused': async ({ url, proxies }: House) => {
    const hogs: pg.Client[] = [];
    // Takes connections until the server has none left; those of the replicas are then taken away.
    for (;;) {
      const hog = new pg.Client({ connectionString: url });
      hog.on('error', () => undefined);
      try {
        await hog.connect();
        hogs.push(hog);
      } catch {
        break;
      }
    }
    proxies[0]!.hangUp();
    proxies[1]!.hangUp();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const hog = new pg.Client({ connectionString: url });
        hog.on('error', () => undefined);
        await hog.connect().then(
          () => hogs.push(hog),
          () => undefined,
        );
      }),
    );
    await pause(700);
    await Promise.all(hogs.map((hog) => hog.end().catch(() => undefined)));
  },
  'slow disk': async ({ url }: House, random: () => number) => {
    // Acts like a hanging disk for every writer: the row of every log is held.
    await onServer(url, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT 1 FROM writecheck.log FOR UPDATE');
      await pause(500 + random() * 2_000);
      await client.query('ROLLBACK');
    });
  },
} satisfies { readonly [name: string]: (house: House, random: () => number) => Promise<void> };

const cutOne = async ({ proxies }: House, step: Cut, random: () => number): Promise<void> => {
  const proxy = proxies[Math.floor(random() * REPLICAS)]!;
  await Promise.race([proxy.cut(step), pause(1_000)]);
  proxy.disarm();
};

const post = async (url: string, key: string | null, path: string, body: object): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
  });

export const openHouse = async (folder: string, server: TestServer): Promise<House> => {
  const url = await server.newDatabase();
  const proxies = await Promise.all(Array.from({ length: REPLICAS }, () => CutProxy.to(server.port)));
  const replicas: House['replicas'] = Array.from({ length: REPLICAS }, () => ({ url: null, spawned: null }));
  const deaths: string[] = [];
  const data = replicas.map(() => mkdtempSync(join(folder, 'replica-')));
  return {
    ...{ server, url, proxies, replicas, deaths },
    async start(index) {
      const spawned = spawnWritecheck(
        ['serve', '--port', '0', '--data', data[index]!, '--log-level', 'silent'],
        {
          WRITECHECK_DATABASE_URL: proxies[index]!.through(url),
        },
      );
      replicas[index]!.spawned = spawned;
      void spawned.finished.then(({ code, stderr }) => {
        if (code !== 0 && code !== null) deaths.push(`a replica ended with ${code}: ${stderr.slice(-2_000)}`);
      });
      replicas[index]!.url = await spawned.listening;
      return spawned.stdout();
    },
  };
};

/** All of them, and a live key. */
export const startAll = async (
  house: House,
): Promise<{ readonly ownerKey: string; readonly secret: string }> => {
  const welcome = await house.start(0);
  await Promise.all([house.start(1), house.start(2)]);
  const ownerKey = ownerKeyOf(welcome);
  const made = await post(house.replicas[0]!.url!, ownerKey, '/v1/keys', { kind: 'live', name: 'live' });
  return { ownerKey, secret: ((await made.json()) as { readonly secret: string }).secret };
};

/** Ends the replicas in order; returns those that failed to end. */
export const stopAll = async ({
  replicas,
  proxies,
}: Pick<House, 'replicas' | 'proxies'>): Promise<readonly string[]> => {
  for (const { spawned } of replicas) spawned!.child.kill('SIGTERM');
  const ended = await Promise.all(replicas.map(({ spawned }) => spawned!.finished));
  await Promise.all(proxies.map((proxy) => proxy.close()));
  return ended.flatMap(({ code }) => (code === 0 ? [] : [`a replica ended with ${code}`]));
};

/** How long it took until every replica responded again; null if one did not in time. */
export const recovery = async ({ answeredAtMs }: Answers, fromMs: number): Promise<number | null> => {
  while (answeredAtMs.some((atMs) => atMs < fromMs)) {
    if (performance.now() - fromMs > RECOVERED_WITHIN_MS) return null;
    await pause(10);
  }
  return Math.max(...answeredAtMs.map((atMs) => atMs - fromMs));
};

export interface ReplicaResult {
  readonly acknowledged: number;
  readonly recorded: number;
  readonly refused: number;
  readonly replayed: number;
  readonly slowestMs: number;
  readonly faults: readonly string[];
}

export const tortureReplicas = async (
  rounds: number,
  seed: number,
  lanes = 12,
  folder = tortureFolder(),
): Promise<ReplicaResult> => {
  const random = seededRandom(seed);
  chmodSync(folder, 0o755);
  const flags = ['-c', 'max_connections=40'];
  const house = await openHouse(folder, await startTestServer({ isOwn: true, parent: folder, flags }));
  const { ownerKey, secret } = await startAll(house);
  const { answers, stop } = startLoad(house.replicas, [secret], lanes, seed);
  const faults: string[] = [];
  let slowestMs = 0;
  const kinds = [...Object.keys(FAULTS), ...CUTS];
  for (let round = 0; round < rounds; round += 1) {
    const kind = kinds[round % kinds.length]!;
    if (kind in FAULTS) await FAULTS[kind as keyof typeof FAULTS](house, random);
    else await cutOne(house, kind as Cut, random);
    const tookMs = await recovery(answers, performance.now());
    if (tookMs === null)
      faults.push(`round ${round}, ${kind}: not all answer again within ${RECOVERED_WITHIN_MS} ms`);
    else slowestMs = Math.max(slowestMs, tookMs);
  }
  await stop();
  faults.push(...answers.faults.slice(0, 20), ...house.deaths);
  // Reported first: everything that follows needs all of them.
  if (house.deaths.length === 0) faults.push(...(await verify(house, ownerKey, answers)));
  faults.push(...(await stopAll(house)));
  const recorded = await recordedIn(house.url);
  await house.server.remove();
  rmSync(folder, { recursive: true, force: true });
  const { acknowledged, refused, replayed } = answers;
  return { acknowledged: acknowledged.size, recorded, refused, replayed, slowestMs, faults };
};

export const recordedIn = (url: string): Promise<number> =>
  onServer(url, async (client) => {
    const { rows } = await client.query('SELECT sum(size)::integer AS size FROM writecheck.log');
    return rows[0].size;
  });

/** Compares the responses that callers got with the database and with any replica's export. */
export const verify = async (
  house: Pick<House, 'url' | 'replicas'>,
  ownerKey: string,
  answers: Answers,
  url = house.url,
): Promise<readonly string[]> => {
  const faults: string[] = [];
  const store = await openPostgresStore(url, { isWriter: false });
  const recorded = new Map<string, string[]>();
  let charged = 0;
  let decisions = 0;
  const [workspace] = await store.listWorkspaces(1);
  for (const { log, size, frontier } of await store.logs()) {
    const tree = new Frontier();
    while (tree.size < size) {
      const segments = await store.segments(log, tree.size, 50);
      if (segments.length === 0) {
        faults.push(`log ${log} ends at ${tree.size} of ${size}`);
        break;
      }
      for (const { entries } of segments) {
        for (const { leaf, record } of entries) {
          tree.append(leafHash(leaf));
          const id = parseLeaf(leaf)?.decision_id;
          // The log also has changes of keys and policies.
          if (id === undefined) continue;
          decisions += 1;
          const { objectRef } = (
            JSON.parse(Buffer.from(record).toString()) as { intent: { objectRef: string } }
          ).intent;
          recorded.set(objectRef, [...(recorded.get(objectRef) ?? []), id]);
        }
      }
    }
    if (!Buffer.from(tree.toBytes()).equals(frontier)) faults.push(`the frontier of ${log} does not fit`);
  }
  for (const [objectRef, { id }] of answers.acknowledged) {
    if (!recorded.get(objectRef)?.includes(id))
      faults.push(`${objectRef}: ${id} was acknowledged and is lost`);
  }
  for (const [objectRef, ids] of recorded) {
    if (ids.length > 1) faults.push(`${objectRef} was recorded ${ids.length} times`);
    if (!answers.asked.has(objectRef)) faults.push(`${objectRef} was recorded and never asked`);
  }
  const months = new Set(
    [Date.now() - 3_600_000, Date.now()].map((ms) => new Date(ms).toISOString().slice(0, 7)),
  );
  for (const month of months) {
    const { live, development } = await store.usage(workspace!.id, month);
    charged += live + development;
  }
  if (charged !== decisions) faults.push(`${charged} charged, ${decisions} recorded`);
  await store.close();
  for (const replica of house.replicas)
    faults.push(...(await verifyExport(replica.url!, ownerKey, decisions)));
  return faults;
};

const verifyExport = async (url: string, ownerKey: string, decisions: number): Promise<readonly string[]> => {
  const keys = await (await fetch(`${url}/v1/audit/key`)).text();
  const exported = await fetch(`${url}/v1/audit/export`, {
    headers: { authorization: `Bearer ${ownerKey}` },
  });
  const verifier = new ExportVerifier({ keys: keys.trim().split('\n') });
  for (const line of (await exported.text()).trimEnd().split('\n')) await verifier.push(line);
  const verdict = verifier.finish();
  if (!verdict.ok) return [`the export does not verify: ${verdict.words}`];
  const found = verdict.counts.decisions;
  return found === decisions ? [] : [`the export has ${found} of ${decisions} decisions`];
};

/** Runs `npm run torture -- replicas [rounds] [seed]`. */
export const torture = async (args: readonly string[]) => {
  const [rounds = 300, seed = Date.now() % 2 ** 32] = args.map(Number);
  const result = await tortureReplicas(rounds, seed);
  return {
    claim: 'three replicas on PostgreSQL lose nothing acknowledged, whatever breaks, and recover within 5 s',
    count: `${rounds} faults, ${result.acknowledged} acknowledged, ${result.recorded} recorded, ${result.refused} refused, ${result.replayed} replayed, slowest recovery ${Math.round(result.slowestMs)} ms`,
    seed: String(seed),
    faults: result.faults,
  };
};
