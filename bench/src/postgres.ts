/** `npm run bench -- postgres`: the durable check on a real PostgreSQL, compared with an echo server. */
import { chmodSync, rmSync } from 'node:fs';
import { startTestServer, type TestServer } from '../../packages/store/test/test-postgres.ts';
import { atLeast, median, type Row } from './report.ts';
import { benchBody, prepare } from './service.ts';
import { newFolder, startEcho, startLoad, startService } from './service-processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CONNECTIONS = 64;

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

export async function benchPostgres(): Promise<readonly Row[]> {
  const server = await startPostgres();
  const service = await startService({ WRITECHECK_DATABASE_URL: await server.newDatabase() });
  const { request, answer } = await prepare(service, benchBody());
  const echo = await startEcho(answer);
  const load = await startLoad();
  const perSecond = async (name: string, { port }: { readonly port: number }) => {
    const order = { port, request, connections: CONNECTIONS, warmUpMs: 500, measureMs: 2_000 };
    const { perSecond: found, p50Ms, p99Ms } = await load.apply(order);
    console.log(
      `${name} ${Math.round(found)} a second, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`,
    );
    return found;
  };
  const ratios: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const echoes = await perSecond('echo', echo);
    const checks = await perSecond('service', service);
    if (round > 0) ratios.push(checks / echoes);
  }
  await Promise.all([load.stop(), echo.stop(), service.stop()]);
  await server.remove();
  return [atLeast('PostgreSQL, one service process, 64 connections / echo', median(ratios), 0.25, 0.45)];
}
