/** `npm run bench -- cores`: checks per second with each number of workers, and their CPU time and memory. */
import { availableParallelism } from 'node:os';
import { atLeast, atMost, type Row } from './report.ts';
import { benchBody, prepare, requestOf } from './service.ts';
import type { LoadResult } from './service-load.ts';
import {
  type Load,
  makeLiveKey,
  memoryMb,
  processorUs,
  type Service,
  startLoad,
  startService,
  threadUs,
} from './service-processes.ts';

const CORES = availableParallelism();
/** Load generators take up to a third of the machine. */
const LOADS = Math.max(1, Math.min(6, Math.floor(CORES / 3)));
/** Each thread has its own compiled code to warm up. */
const WARM_UP_MS = Number(process.env.BENCH_WARM_MS ?? 5_000);
const MEASURE_MS = Number(process.env.BENCH_MEASURE_MS ?? 2_500);
const CONNECTIONS = [120, 480];
const BODIES = 256;
const COUNTS = (process.env.BENCH_WORKERS ?? '1,2,4,8,12,16').split(',').map(Number);
/** The bars are for a machine with this many cores. */
const CORES_OF_BARS = 16;

interface Measured {
  readonly workers: number;
  readonly connections: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refused: number;
  /** CPU time of the committing thread for each check. */
  readonly committerUs: number;
  readonly megabytes: number;
}

/** Requests that differ from each other as real ones do, so that compression has realistic work. */
function requestsFor(key: string): readonly string[] {
  const body = benchBody();
  return Array.from({ length: BODIES }, (_, n) =>
    requestOf(key, body.replaceAll('000042', String(100_000 + n)).replace('V-100423', `V-${200_000 + n}`)),
  );
}

async function applyAll(
  loads: readonly Load[],
  service: Service,
  request: readonly string[],
  connections: number,
): Promise<Omit<Measured, 'workers' | 'committerUs' | 'megabytes'> & { readonly answers: number }> {
  const order = {
    port: service.port,
    request,
    connections: Math.max(1, Math.round(connections / loads.length)),
    warmUpMs: WARM_UP_MS,
    measureMs: MEASURE_MS,
    retryAfterMs: 100,
  };
  const results = await Promise.all(loads.map((load) => load.apply(order)));
  const sum = (of: (result: LoadResult) => number) => results.reduce((total, each) => total + of(each), 0);
  return {
    connections,
    perSecond: sum(({ perSecond }) => perSecond),
    p50Ms: sum(({ p50Ms }) => p50Ms) / results.length,
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    refused: sum(({ refused }) => refused.count),
    answers: sum(({ answersInAll }) => answersInAll),
  };
}

function show(name: string, { connections, perSecond, p50Ms, p99Ms, refused }: Measured, more: string): void {
  console.log(
    `${name.padEnd(12)} ${String(connections).padStart(4)} connections ${Math.round(perSecond).toString().padStart(7)} a second, ` +
      `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms, ${refused} refused, ${more}`,
  );
}

async function measureWorkers(loads: readonly Load[], workers: number): Promise<readonly Measured[]> {
  const service = await startService({ WRITECHECK_WORKERS: String(workers) });
  await prepare(service, benchBody());
  const requests = requestsFor(await makeLiveKey(service));
  const measured: Measured[] = [];
  for (const connections of CONNECTIONS) {
    const before = { all: processorUs(service.pid), committer: threadUs(service.pid, 'writer') };
    const { answers, ...result } = await applyAll(loads, service, requests, connections);
    const committerUs = (threadUs(service.pid, 'writer') - before.committer) / answers;
    const us = (processorUs(service.pid) - before.all) / answers;
    const one = { ...result, workers, committerUs, megabytes: memoryMb(service.pid) };
    measured.push(one);
    show(
      `${workers} workers`,
      one,
      `${us.toFixed(0)} us of CPU time each, ${committerUs.toFixed(1)} us of them to commit, ${one.megabytes.toFixed(0)} MB`,
    );
  }
  await service.stop();
  return measured;
}

export async function benchCores(): Promise<readonly Row[]> {
  const loads = await Promise.all(Array.from({ length: LOADS }, () => startLoad()));
  const counts = COUNTS.filter((count) => count <= Math.max(CORES, 2));
  console.log(`${CORES} cores, ${LOADS} processes of load`);
  const measured: Measured[] = [];
  for (const workers of counts) measured.push(...(await measureWorkers(loads, workers)));
  await Promise.all(loads.map((load) => load.stop()));
  return rowsOf(measured);
}

function rowsOf(measured: readonly Measured[]): readonly Row[] {
  // With as many connections in both, because they take memory too.
  const several = measured.filter(
    ({ workers, connections }) => workers > 1 && connections === CONNECTIONS[0],
  );
  const at = (connections: number) => measured.filter((each) => each.connections === connections);
  const best = (connections: number) => Math.max(...at(connections).map(({ perSecond }) => perSecond));
  const worstStep = Math.min(
    ...CONNECTIONS.flatMap((connections) =>
      at(connections).map(
        ({ perSecond }, i, all) => perSecond / Math.max(...all.slice(0, i + 1).map((each) => each.perSecond)),
      ),
    ),
  );
  const [fewest, most] = [several[0]!, several.at(-1)!];
  const isLarge = CORES >= CORES_OF_BARS;
  const memory: Row = atMost(
    'memory of each further worker, MB',
    (most.megabytes - fewest.megabytes) / (most.workers - fewest.workers),
    60,
    40,
  );
  return [
    ...CONNECTIONS.map(
      (connections, i): Row =>
        atLeast(
          `checks a second on ${CORES} cores, ${connections} connections`,
          best(connections),
          isLarge ? [40_000, 60_000][i]! : 0,
          isLarge ? [70_000, 100_000][i]! : 0,
        ),
    ),
    atLeast('more workers / the best of fewer, at worst', worstStep, isLarge ? 0.9 : 0, 1),
    ...(most.workers === fewest.workers ? [] : [memory]),
  ];
}
