/** `npm run bench -- postgres`: the durable check on a real PostgreSQL, by one process and by two that share it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTestServer } from '../../packages/service/test/test-postgres.ts';
import { median, type Row } from './report.ts';
import { benchBody, prepare } from './service.ts';
import type { LoadResult } from './service-load.ts';
import { processorUs, type Service, startEcho, startLoad, startService } from './service-processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CONNECTIONS = 64;

/** Another workspace with its own policy and live key. */
async function newWorkspace(service: Service, body: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${service.port}/v1/workspaces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench' }),
  });
  const { ownerKey } = (await response.json()) as { readonly ownerKey: string };
  return (await prepare({ ...service, ownerKey }, body)).request;
}

const shown = (name: string, { perSecond, p50Ms, p99Ms }: LoadResult, cpuUs: number): void =>
  console.log(
    `${name.padEnd(14)} ${Math.round(perSecond).toString().padStart(6)} a second, p50 ${p50Ms.toFixed(2)} ms, ` +
      `p99 ${p99Ms.toFixed(2)} ms, ${cpuUs.toFixed(1)} us of its processor time each`,
  );

export async function benchPostgres(): Promise<readonly Row[]> {
  // On a disk, beside this file: a folder in memory would make every sync free.
  const parent = mkdtempSync(fileURLToPath(new URL('../.data-', import.meta.url)));
  chmodSync(parent, 0o755);
  const server = await startTestServer({ parent });
  const environment = { WRITECHECK_DATABASE_URL: await server.newDatabase() };
  const body = benchBody();
  const one = await startService(environment);
  const { request, answer } = await prepare(one, body);
  const echo = await startEcho(answer);
  const [load, otherLoad] = await Promise.all([startLoad(), startLoad()]);
  const two = await startService(environment);
  const otherRequest = await newWorkspace(two, body);

  const order = { warmUpMs: 500, measureMs: 2_000 };
  const measure = async (name: string, { port, pid }: Pick<Service, 'port' | 'pid'>, asked: string) => {
    const before = processorUs(pid);
    const result = await load.apply({ ...order, port, request: asked, connections: CONNECTIONS });
    shown(name, result, (processorUs(pid) - before) / result.answersInAll);
    return result.perSecond;
  };
  const measureBoth = async () => {
    const half = { ...order, connections: CONNECTIONS / 2 };
    const results = await Promise.all([
      load.apply({ ...half, port: one.port, request }),
      otherLoad.apply({ ...half, port: two.port, request: otherRequest }),
    ]);
    for (const [i, result] of results.entries()) shown(`  of two, ${i + 1}`, result, 0);
    return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  await measure('echo', echo, request);
  await measure('one process', one, request);
  const ratios: number[] = [];
  const both: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const echoed = await measure('echo', echo, request);
    ratios.push((await measure('one process', one, request)) / echoed);
    both.push((await measureBoth()) / echoed);
  }
  await Promise.all([load.stop(), otherLoad.stop(), echo.stop(), one.stop(), two.stop()]);
  await server.remove();
  rmSync(parent, { recursive: true });
  return [
    {
      measure: 'PostgreSQL, one service process, 64 connections / echo',
      ...{ value: median(ratios), bar: 0.25, goal: 0.45, better: 'higher' },
    },
    {
      measure: 'PostgreSQL, two processes on two workspaces / echo',
      ...{ value: median(both), bar: 0.375, goal: 0.675, better: 'higher' },
    },
  ];
}
