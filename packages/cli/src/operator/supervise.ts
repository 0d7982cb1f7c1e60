/** A service of several deciding threads: the main thread owns the store, signs its log, and decides nothing. */
import type { Server } from 'node:http';
import { type TakenPort, takePort, urlOf } from '@writecheck/service/edge/listen';
import { readKeptCheckpoint } from '@writecheck/service/features/audit/kept-checkpoint';
import { openAudit, signRegularly } from '@writecheck/service/features/audit/open-audit';
import { Closers } from '@writecheck/service/runtime/closers';
import { startThreads, type Threads } from '@writecheck/service/runtime/threads/deciding-threads';
import { holdPort } from '@writecheck/service/runtime/threads/shared-port';
import { openStoreFor } from '@writecheck/service/runtime/threads/start-failure';
import { MachineClock } from '@writecheck/service/support/clocks/clock-reference';
import type { Flags } from '@writecheck/service/support/config/load-config';
import type { Config } from '@writecheck/service/support/config/settings';
import type { Log } from '@writecheck/service/support/observability/log';
import { metricsServerFor, processMetrics } from '@writecheck/service/support/observability/metrics';
import { sampledLog } from '@writecheck/service/support/observability/sampled-log';
import { ForkAlarm } from '@writecheck/store/append-guard';
import type { Store } from '@writecheck/store/port';

const LOOK_AT_CLOCK_EVERY_MS = 1_000;

/** A running service, of one deciding thread or several. */
export interface Serving {
  readonly url: string;
  readonly metricsUrl: string | null;
  readonly store: Store;
  /** Null if this thread decides. */
  readonly threads: Threads | null;
  stop(): Promise<void>;
}

export interface Supervised extends Serving {
  readonly threads: Threads;
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
  let opening: Promise<Store> | null = null;
  try {
    const { port, release } = await holdPort(config.port, config.host);
    closers.add(release);
    const metricsPort = config.metricsPort === null ? null : await takePort(config.metricsPort, config.host);
    closers.add(() => metricsPort?.release());
    const alarm = new ForkAlarm();
    opening = openShared(config, alarm, log, closers);
    const threads = await startThreads({
      flags: { ...flags, port: String(port) },
      count: workers,
      // Threads that load code would delay the connections of this thread.
      store: config.databaseUrl === null ? opening : await opening,
      alarm,
      log,
      gaveUp,
    });
    const store = await opening;
    closers.add(() => threads.stop());
    await release();
    threads.open();
    const metricsServer = await serveMetrics(metricsPort, threads);
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
    // The store can only be closed once it is open.
    await opening?.catch(() => undefined);
    await closers.close();
    throw error;
  }
}

/** This thread writes only to a store that its threads share; otherwise the threads sign the log. */
async function openShared(config: Config, alarm: ForkAlarm, log: Log, closers: Closers): Promise<Store> {
  const store = await openStoreFor(config, config.databaseUrl === null ? 'serve' : 'visit');
  closers.add(() => store.close());
  if (store.sharing !== undefined) closers.add(await keepLog(config, store, alarm, log));
  return store;
}

/** Signs the log for all threads, and stores with it the clock reading that the next process needs. */
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

async function serveMetrics(port: TakenPort | null, threads: Threads): Promise<Server | null> {
  if (port === null) return null;
  const server = metricsServerFor(await processMetrics(() => threads.gatherMetrics()));
  await port.giveTo(server);
  return server;
}
