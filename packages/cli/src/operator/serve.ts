/** `writecheck serve`: settings, store, first workspace, listening, and an orderly shutdown. */
import v8 from 'node:v8';
import { VERSION } from '@writecheck/contract';
import { releasePorts, takePorts } from '@writecheck/service/edge/listen';
import { startService } from '@writecheck/service/runtime/open-store';
import { configOf } from '@writecheck/service/runtime/threads/config-of';
import { defaultWorkers } from '@writecheck/service/runtime/threads/default-workers';
import { SHARES_PORT } from '@writecheck/service/runtime/threads/shared-port';
import { listenFailure, openStoreFor } from '@writecheck/service/runtime/threads/start-failure';
import { storeNamed } from '@writecheck/service/runtime/threads/store-named';
import { COMMIT } from '@writecheck/service/support/commit';
import { type Flags, withoutEffect } from '@writecheck/service/support/config/load-config';
import type { Config } from '@writecheck/service/support/config/settings';
import { createLog, type Log } from '@writecheck/service/support/observability/log';
import { announce } from './announce.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import type { Serving } from './supervise.ts';
import { watchDisk } from './watch-disk.ts';

/**
 * Under many concurrent requests, V8 may guess that a request's objects live long, and allocate them as old.
 * Each such object then keeps a finished request in memory until the next full collection: in about every other
 * process that cost a third of the speed, and doubled the memory.
 */
function doNotGuessLifetimes() {
  return v8.setFlagsFromString('--no-allocation-site-pretenuring');
}

export async function serve(flags: Flags): Promise<void> {
  doNotGuessLifetimes();
  const config = configOf(flags);
  const log = createLog(config.logLevel);
  const variables = withoutEffect(process.env);
  if (variables.length > 0) log.warn({ variables }, 'these variables are no settings and have no effect');
  const wanted = config.workers ?? defaultWorkers(config);
  const workers = SHARES_PORT ? wanted : 1;
  if (workers < wanted)
    log.warn({ workers }, 'on this system one thread decides, because threads cannot share a port');
  let service: Serving | null = null;
  // Called if threads keep dying.
  const gaveUp = (): void => void service?.stop().finally(() => process.exit(1));
  try {
    service =
      workers > 1
        ? await (await import('./supervise.ts')).startSupervised(flags, config, workers, log, gaveUp)
        : await startAlone(config, log);
    const { url, store, stop } = service;
    stopOnSignals(stop, log);
    await announce(url, store, config);
  } catch (error) {
    await service?.stop();
    throw listenFailure(error, config);
  }
  const { url, metricsUrl, store } = service;
  const places = { url, metricsUrl, ...storeNamed(config), ...(workers > 1 && { workers }) };
  log.info({ version: VERSION, commit: COMMIT, ...places }, 'serving');
  watchDisk(store, log);
}

async function startAlone(config: Config, log: Log): Promise<Serving> {
  const ports = await takePorts(config);
  const begun = Promise.withResolvers<void>();
  const opening = openStoreFor(config, 'serve', begun.resolve);
  try {
    await Promise.race([begun.promise, opening]);
    const { url, metricsUrl, stop } = await startService({ config, store: opening, log, ports });
    return { url, metricsUrl, store: await opening, threads: null, stop: () => stop() };
  } catch (error) {
    releasePorts(ports);
    await (await opening).close();
    throw error;
  }
}
