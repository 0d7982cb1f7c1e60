/** A service of several deciding threads: the main thread owns the store, signs its log, and decides nothing. */
import type { Server } from 'node:http';
import { ForkAlarm } from '../../audit/fork-alarm.ts';
import { readKeptCheckpoint } from '../../audit/kept-checkpoint.ts';
import { openAudit, signRegularly } from '../../audit/open-audit.ts';
import { MachineClock } from '../../clocks/clock-reference.ts';
import { Closers } from '../../closers.ts';
import type { Flags } from '../../config/load-config.ts';
import type { Config } from '../../config/settings.ts';
import { listen, urlOf } from '../../http/listen.ts';
import type { Log } from '../../observability/log.ts';
import { metricsServerFor, processMetrics } from '../../observability/metrics.ts';
import { sampledLog } from '../../observability/sampled-log.ts';
import type { Store } from '../../store/port.ts';
import { VERSION } from '../../version.ts';
import { announce } from './announce.ts';
import { startThreads, type Threads } from './deciding-threads.ts';
import { holdPort } from './shared-port.ts';
import { listenFailure, openStoreFor } from './start-failure.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { storeNamed } from './store-named.ts';

const LOOK_AT_CLOCK_EVERY_MS = 1_000;

export interface Supervised {
  readonly url: string;
  readonly metricsUrl: string | null;
  readonly threads: Threads;
  readonly store: Store;
  stop(): Promise<void>;
}

export async function supervise(flags: Flags, config: Config, workers: number, log: Log): Promise<void> {
  const gaveUp = (): void => void service?.stop().finally(() => process.exit(1));
  let service: Supervised | null = null;
  try {
    service = await startSupervised(flags, config, workers, log, gaveUp);
    const { url, store, stop } = service;
    stopOnSignals(stop, log);
    await announce(url, store, config);
  } catch (error) {
    await service?.stop();
    throw listenFailure(error, config);
  }
  const { url, metricsUrl } = service;
  log.info({ version: VERSION, url, metricsUrl, ...storeNamed(config), workers }, 'serving');
}

/** `gaveUp` is called if threads keep dying. */
export async function startSupervised(
  flags: Flags,
  config: Config,
  workers: number,
  log: Log,
  gaveUp: () => void,
): Promise<Supervised> {
  const closers = new Closers(log);
  try {
    // Only a store that is shared is written to from here.
    const store = await openStoreFor(config, config.databaseUrl === null ? 'serve' : 'visit');
    closers.add(() => store.close());
    const { port, release } = await holdPort(config.port, config.host);
    closers.add(release);
    const alarm = new ForkAlarm();
    if (store.sharing !== undefined) closers.add(await keepLog(config, store, alarm, log));
    const threads = await startThreads({
      flags: { ...flags, port: String(port) },
      count: workers,
      store,
      alarm,
      log,
      gaveUp,
    });
    closers.add(() => threads.stop());
    await release();
    threads.open();
    const metricsServer = await serveMetrics(config, threads);
    closers.add(() => {
      metricsServer?.close();
      metricsServer?.closeAllConnections();
    });
    return {
      url: urlOf(config.host, { address: config.host, family: '', port }),
      metricsUrl: metricsServer === null ? null : urlOf(config.host, metricsServer.address()),
      threads,
      store,
      stop: () => closers.close(),
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

/** Signs the log for all threads, and leaves with it what the next process needs to tell that the clock was set. */
async function keepLog(
  config: Config,
  store: Store,
  alarm: ForkAlarm,
  log: Log,
): Promise<() => Promise<void>> {
  const kept = readKeptCheckpoint(config.data)?.clock ?? null;
  const machine = new MachineClock(Date.now(), { kept });
  const looking = setInterval(() => machine.look(Date.now()), LOOK_AT_CLOCK_EVERY_MS);
  looking.unref();
  const audit = await openAudit(config, store, Date.now(), { alarm, clock: () => machine.anchor });
  const outages = sampledLog(log);
  const stopSigning = signRegularly(audit, outages);
  return async () => {
    await stopSigning();
    outages.stop();
    clearInterval(looking);
  };
}

async function serveMetrics({ metricsPort, host }: Config, threads: Threads): Promise<Server | null> {
  if (metricsPort === null) return null;
  const server = metricsServerFor(await processMetrics(() => threads.gatherMetrics()));
  await listen(server, metricsPort, host);
  return server;
}
