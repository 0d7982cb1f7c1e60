/** Several processes that answer on one port: starts them, replaces one that dies, and stops them all together. */
import cluster, { type Worker } from 'node:cluster';
import type { Config } from '../../config/settings.ts';
import { listen, urlOf } from '../../http/listen.ts';
import { isCountedMessage } from '../../http/share-limits.ts';
import type { Log } from '../../observability/log.ts';
import { clusterMetrics, metricsServerFor } from '../../observability/metrics.ts';
import { VERSION } from '../../version.ts';
import { CommandFailure } from '../fail.ts';
import { announce } from './announce.ts';
import { portIn, reservePort, WORKERS_LISTEN } from './shared-port.ts';
import { listenFailure, openStoreFor } from './start-failure.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { storeNamed } from './store-named.ts';

const REPLACE_AFTER_MS = 500;
/** Replacing workers that die this soon after one another does not help. */
const DEATHS_MAX = 5;
const DEATHS_WITHIN_MS = 30_000;

export async function supervise(config: Config, log: Log): Promise<void> {
  let isStopping = false;
  const deaths: number[] = [];
  const store = await openStoreFor(config, 'visit');

  const start = () =>
    new Promise<{ readonly worker: Worker; readonly port: number }>((resolve, reject) => {
      const worker = cluster.fork();
      worker.on('message', (message) => {
        const listening = portIn(message);
        if (listening !== null) resolve({ worker, port: listening });
      });
      // The worker has reported the error on stderr itself.
      worker.once('exit', () => reject(new CommandFailure('a worker process did not start')));
    });

  const stopAll = async () => {
    isStopping = true;
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
    await Promise.all(
      workers.map((worker) => {
        const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
        worker.process.kill('SIGTERM');
        return gone;
      }),
    );
  };

  cluster.on('exit', (worker, code, signal) => {
    if (isStopping) return;
    const nowMs = performance.now();
    while (deaths.length > 0 && nowMs - deaths[0]! > DEATHS_WITHIN_MS) deaths.shift();
    deaths.push(nowMs);
    log.error({ worker: worker.process.pid, code, signal }, 'a worker process died');
    if (deaths.length >= DEATHS_MAX) {
      log.error({}, 'worker processes keep dying; giving up');
      void stopAll().then(() => process.exit(1));
      return;
    }
    setTimeout(() => {
      if (!isStopping)
        start().catch((error) => log.error({ error: String(error) }, 'a worker was not replaced'));
    }, REPLACE_AFTER_MS);
  });

  cluster.on('message', (from, message) => {
    if (!isCountedMessage(message)) return;
    for (const worker of Object.values(cluster.workers ?? {})) {
      if (worker !== undefined && worker.id !== from.id && worker.isConnected()) worker.send(message);
    }
  });

  let port: number;
  let metricsUrl: string | null = null;
  try {
    // The first one alone, so that a port in use is reported once.
    isStopping = true;
    if (WORKERS_LISTEN) {
      const reserved = await reservePort(config.port, config.host);
      cluster.setupPrimary({ args: [...process.argv.slice(2), '--port', String(reserved)] });
    }
    ({ port } = await start());
    await Promise.all(Array.from({ length: config.workers - 1 }, start));
    if (config.metricsPort !== null) {
      const metricsServer = metricsServerFor(await clusterMetrics());
      await listen(metricsServer, config.metricsPort, config.host);
      metricsUrl = urlOf(config.host, metricsServer.address());
    }
    isStopping = false;
  } catch (error) {
    await stopAll();
    await store.close();
    throw listenFailure(error, config);
  }
  stopOnSignals(stopAll, log);
  const url = urlOf(config.host, { address: config.host, family: '', port });
  await announce(url, store, config.policies);
  await store.close();
  log.info({ version: VERSION, url, metricsUrl, ...storeNamed(config), workers: config.workers }, 'serving');
}
