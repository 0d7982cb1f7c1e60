/** `npm run bench -- limits`: checks to which a limit applies, next to the same checks without one. */
import { atLeast, median, type Row } from './report.ts';
import { benchBody, prepare } from './service.ts';
import { type Load, newWorkspace, type Service, startLoad, startService } from './service-processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 11);
const MEASURE_MS = Number(process.env.BENCH_MEASURE_MS ?? 1_000);
const CONNECTIONS = 64;
const THREADS = 4;
const LIMIT = {
  kind: 'Limit',
  id: 'updates',
  match: { system: 'erp' },
  by: ['intent.objectRef'],
  max: 1_000_000_000,
  per: 'day',
};

/** Checks a second with the limit, all in one group, as a share of those without it: each in a workspace of its own. */
async function startPair(name: string, service: Service, load: Load): Promise<() => Promise<number>> {
  const measured = async (...limits: readonly object[]) => {
    const { request } = await prepare(await newWorkspace(service), benchBody(), ...limits);
    const order = { port: service.port, request, connections: CONNECTIONS, retryAfterMs: 20 };
    return async () => (await load.apply({ ...order, warmUpMs: 300, measureMs: MEASURE_MS })).perSecond;
  };
  const [without, limited] = [await measured(), await measured(LIMIT)];
  return async () => {
    const [none, one] = [await without(), await limited()];
    console.log(`${name}: ${Math.round(none)} checks a second without a limit, ${Math.round(one)} with one`);
    return one / none;
  };
}

export async function benchLimits(): Promise<readonly Row[]> {
  const load = await startLoad();
  const service = await startService();
  const threads = await startService({ WRITECHECK_WORKERS: String(THREADS) });
  const one = await startPair('1 thread', service, load);
  const several = await startPair(`${THREADS} threads`, threads, load);
  const ratios: { readonly one: number; readonly several: number }[] = [];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1)
    ratios.push({ one: await one(), several: await several() });
  await Promise.all([load.stop(), service.stop(), threads.stop()]);
  const [, ...warm] = ratios;
  return [
    atLeast(
      `one limit that applies / none, ${CONNECTIONS} connections`,
      median(warm.map((each) => each.one)),
      0.85,
      0.95,
    ),
    atLeast(
      `everything in one group / no limit, ${THREADS} threads`,
      median(warm.map((each) => each.several)),
      0.6,
      0.8,
    ),
  ];
}
