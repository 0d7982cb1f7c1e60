/** `npm run bench -- postgres`: the durable check on a real PostgreSQL, with one process and with two that share it. */
import { chmodSync, rmSync } from 'node:fs';
import { startTestServer, type TestServer } from '../../packages/store/test/test-postgres.ts';
import { farDatabase } from './far-database.ts';
import { atLeast, median, type Row } from './report.ts';
import { benchBody, prepare } from './service.ts';
import type { LoadResult } from './service-load.ts';
import {
  newFolder,
  newWorkspace,
  processorUs,
  type Service,
  startEcho,
  startLoad,
  startService,
} from './service-processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CONNECTIONS = 64;
/** In each direction; a database in a nearby data centre. */
const FAR_MS = 5;

/** A PostgreSQL server on the same disk. */
export async function startPostgres(): Promise<TestServer> {
  const parent = newFolder();
  // The server may run as another user.
  chmodSync(parent, 0o755);
  const server = await startTestServer({ parent });
  return {
    ...server,
    async remove() {
      await server.remove();
      rmSync(parent, { recursive: true });
    },
  };
}

interface Asked {
  readonly port: number;
  readonly pid: number;
  readonly request: string;
}

interface Pair {
  readonly one: Service & Asked;
  readonly two: Service & Asked;
  readonly answer: string;
}

/** Two processes on one database, each with checks from its own workspace. */
async function startPair(databaseUrl: string): Promise<Pair> {
  const environment = { WRITECHECK_DATABASE_URL: databaseUrl };
  const body = benchBody();
  const one = await startService(environment);
  const { request, answer } = await prepare(one, body);
  const two = await startService(environment);
  return {
    one: { ...one, request },
    two: { ...two, request: (await prepare(await newWorkspace(two), body)).request },
    answer,
  };
}

const shown = (name: string, { perSecond, p50Ms, p99Ms }: LoadResult, cpuUs: number): void =>
  console.log(
    `${name.padEnd(14)} ${Math.round(perSecond).toString().padStart(6)} a second, p50 ${p50Ms.toFixed(2)} ms, ` +
      `p99 ${p99Ms.toFixed(2)} ms, ${cpuUs.toFixed(1)} us of CPU time each`,
  );

export async function benchPostgres(): Promise<readonly Row[]> {
  const server = await startPostgres();
  const near = await startPair(await server.newDatabase());
  const echo = await startEcho(near.answer);
  const [load, otherLoad] = await Promise.all([startLoad(), startLoad()]);

  const order = { warmUpMs: 500, measureMs: 2_000 };
  const measure = async (name: string, { port, pid, request }: Asked) => {
    const before = processorUs(pid);
    const result = await load.apply({ ...order, port, request, connections: CONNECTIONS });
    shown(name, result, (processorUs(pid) - before) / result.answersInAll);
    return result.perSecond;
  };
  const measureBoth = async ({ one, two }: Pair, connections: number) => {
    const results = await Promise.all([
      load.apply({ ...order, connections, port: one.port, request: one.request }),
      otherLoad.apply({ ...order, connections, port: two.port, request: two.request }),
    ]);
    for (const [i, result] of results.entries()) shown(`  of two, ${i + 1}`, result, 0);
    return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  const echoed = { ...echo, request: near.one.request };
  await measure('echo', echoed);
  await measure('one process', near.one);
  const ratios: number[] = [];
  const both: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const echoes = await measure('echo', echoed);
    ratios.push((await measure('one process', near.one)) / echoes);
    both.push((await measureBoth(near, CONNECTIONS / 2)) / echoes);
  }
  await Promise.all([echo.stop(), near.one.stop(), near.two.stop()]);

  // With a slow database the processes do not compete for a core, so this shows whether they wait for each other. A
  // second process with its own callers should not slow down the first.
  const way = await farDatabase(await server.newDatabase(), FAR_MS);
  const far = await startPair(way.url);
  await measure('far, one', far.one);
  const gains: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await measure('far, one', far.one);
    gains.push((await measureBoth(far, CONNECTIONS)) / alone);
  }
  await Promise.all([load.stop(), otherLoad.stop(), far.one.stop(), far.two.stop()]);
  way.close();
  await server.remove();
  return [
    atLeast('PostgreSQL, one service process, 64 connections / echo', median(ratios), 0.25, 0.45),
    atLeast('PostgreSQL, two processes on two workspaces / echo', median(both), 0.375, 0.675),
    atLeast(
      `PostgreSQL ${FAR_MS} ms away, two processes with 64 callers each / one with 64`,
      median(gains),
      1.5,
      1.9,
    ),
  ];
}
