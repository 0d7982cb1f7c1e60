/** `npm run bench -- limits`: checks to which a limit applies, next to the same checks without one. */
import { startPostgres } from './postgres.ts';
import { atLeast, median, type Row } from './report.ts';
import { benchBody, prepare } from './service.ts';
import { newWorkspace, type Service, startLoad, startService } from './service-processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 11);
const MEASURE_MS = Number(process.env.BENCH_MEASURE_MS ?? 1_000);
const CONNECTIONS = 64;
const THREADS = 4;
const GROUPS = 10_000;
const LIMIT = {
  kind: 'Limit',
  id: 'updates',
  match: { system: 'erp' },
  by: ['intent.objectRef'],
  max: 1_000_000_000,
  per: 'day',
};

interface Asked {
  readonly port: number;
  readonly request: string | readonly string[];
}

/** A separate workspace with the bench's policy, and optionally a limit. */
async function workspaceOn(
  service: Service,
  ...limits: readonly object[]
): Promise<Asked & { readonly request: string }> {
  const { request } = await prepare(await newWorkspace(service), benchBody(), ...limits);
  return { port: service.port, request };
}

/** The same request for many objects, so that each is a group. */
function manyGroups({ port, request }: Asked & { readonly request: string }): Asked {
  const requests = Array.from({ length: GROUPS }, (_, i) => request.replace('V-100423', `V-${200_000 + i}`));
  return { port, request: requests };
}

async function startMeasuring() {
  const loads = await Promise.all([startLoad(), startLoad()]);
  return {
    /** Checks a second over all requests that are sent concurrently. */
    async measure(name: string, ...asked: readonly Asked[]): Promise<number> {
      const connections = CONNECTIONS / asked.length;
      const order = { connections, warmUpMs: 300, measureMs: MEASURE_MS, retryAfterMs: 20 };
      const results = await Promise.all(asked.map((one, i) => loads[i]!.apply({ ...order, ...one })));
      const perSecond = results.reduce((sum, result) => sum + result.perSecond, 0);
      const p99Ms = Math.max(...results.map((result) => result.p99Ms));
      console.log(
        `${name.padEnd(22)} ${Math.round(perSecond).toString().padStart(6)} a second, p99 ${p99Ms.toFixed(1)} ms`,
      );
      return perSecond;
    },
    stop: () => Promise.all(loads.map((load) => load.stop())),
  };
}

export async function benchLimits(): Promise<readonly Row[]> {
  const { measure, stop } = await startMeasuring();
  const service = await startService();
  const none = await workspaceOn(service);
  const one = await workspaceOn(service, LIMIT);
  const many = manyGroups(one);
  const threads = await startService({ WRITECHECK_WORKERS: String(THREADS) });
  const noneOnThreads = await workspaceOn(threads);
  const oneOnThreads = await workspaceOn(threads, LIMIT);
  for (const asked of [none, one, many, noneOnThreads, oneOnThreads]) await measure('warm-up', asked);
  const ratios: { readonly one: number; readonly many: number; readonly threads: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const without = await measure('no limit', none);
    const oneGroup = await measure('one group', one);
    const manyGroups = await measure(`${GROUPS} groups`, many);
    const withoutOnThreads = await measure(`${THREADS} threads, no limit`, noneOnThreads);
    const hot = await measure(`${THREADS} threads, one group`, oneOnThreads);
    ratios.push({ one: oneGroup / without, many: manyGroups / oneGroup, threads: hot / withoutOnThreads });
  }
  await Promise.all([service.stop(), threads.stop()]);
  const replicas = await benchReplicas(measure);
  await stop();
  const of = (name: 'one' | 'many' | 'threads') => median(ratios.map((each) => each[name]));
  return [
    atLeast(`one limit that applies / none, ${CONNECTIONS} connections`, of('one'), 0.85, 0.95),
    atLeast(`${GROUPS} groups of a limit / one`, of('many'), 0.9, 1),
    atLeast(`everything in one group / no limit, ${THREADS} threads`, of('threads'), 0.6, 0.8),
    atLeast('PostgreSQL, 2 replicas and one group, checks a second', replicas.hot, 0, 0),
    atLeast('PostgreSQL, 2 replicas, one group / no limit', replicas.ratio, 0, 0),
  ];
}

/** Two processes on one database, all checks in one group. */
async function benchReplicas(measure: Awaited<ReturnType<typeof startMeasuring>>['measure']) {
  const server = await startPostgres();
  const environment = { WRITECHECK_DATABASE_URL: await server.newDatabase() };
  const first = await startService(environment);
  const second = await startService(environment);
  const both = ({ request }: Asked): readonly Asked[] =>
    [first, second].map(({ port }) => ({ port, request }));
  const none = both(await workspaceOn(first));
  const hot = both(await workspaceOn(first, LIMIT));
  await measure('warm-up', ...none);
  const found: { readonly hot: number; readonly ratio: number }[] = [];
  for (let round = 0; round < Math.min(5, ROUNDS); round += 1) {
    const without = await measure('2 replicas, no limit', ...none);
    const perSecond = await measure('2 replicas, one group', ...hot);
    found.push({ hot: perSecond, ratio: perSecond / without });
  }
  await Promise.all([first.stop(), second.stop()]);
  await server.remove();
  return { hot: median(found.map((each) => each.hot)), ratio: median(found.map((each) => each.ratio)) };
}
