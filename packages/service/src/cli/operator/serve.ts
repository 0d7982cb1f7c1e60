/** `writecheck serve`: settings, store, first workspace, listening, and an orderly shutdown. */

import v8 from 'node:v8';
import type { Flags } from '../../config/load-config.ts';
import { createLog } from '../../observability/log.ts';
import { type RunningService, startService } from '../../open-store.ts';
import { VERSION } from '../../version.ts';
import { announce } from './announce.ts';
import { configOf } from './config-of.ts';
import { defaultWorkers } from './default-workers.ts';
import { SHARES_PORT } from './shared-port.ts';
import { listenFailure, openStoreFor } from './start-failure.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { storeNamed } from './store-named.ts';

/**
 * Under many concurrent requests, V8 may conclude that a request's objects live long, and allocate them as old. Each
 * such object then keeps a finished request in memory until the next full collection: in about every other process
 * that cost a third of the speed, and doubled the memory.
 */
function doNotGuessLifetimes() {
  return v8.setFlagsFromString('--no-allocation-site-pretenuring');
}

export async function serve(flags: Flags): Promise<void> {
  doNotGuessLifetimes();
  const config = configOf(flags);
  const log = createLog(config.logLevel);
  const wanted = config.workers ?? defaultWorkers(config);
  const workers = SHARES_PORT ? wanted : 1;
  if (workers < wanted)
    log.warn({ workers }, 'on this system one thread decides, because threads cannot share a port');
  if (workers > 1) {
    const { supervise } = await import('./supervise.ts');
    return supervise(flags, config, workers, log);
  }
  const opening = openStoreFor(config);
  let service: RunningService;
  try {
    service = await startService({ config, store: opening, log });
  } catch (error) {
    await (await opening).close();
    throw listenFailure(error, config);
  }
  const store = await opening;
  stopOnSignals(() => service.stop(), log);
  try {
    await announce(service.url, store, config);
  } catch (error) {
    await service.stop();
    throw listenFailure(error, config);
  }
  const { url, metricsUrl } = service;
  log.info({ version: VERSION, url, metricsUrl, ...storeNamed(config) }, 'serving');
}
