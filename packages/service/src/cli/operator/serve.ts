/** `writecheck serve`: settings, store, first workspace, listening, and an orderly shutdown. */

import cluster from 'node:cluster';
import v8 from 'node:v8';
import { calledAs } from '../../called-as.ts';
import { type Flags, loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/settings.ts';
import type { Channel } from '../../http/share-limits.ts';
import { createLog } from '../../observability/log.ts';
import { type RunningService, startService } from '../../open-store.ts';
import { VERSION } from '../../version.ts';
import { CommandFailure, listFaults } from '../fail.ts';
import { announce } from './announce.ts';
import { LISTENING, WORKERS_LISTEN } from './shared-port.ts';
import { listenFailure, openStoreFor } from './start-failure.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { storeNamed } from './store-named.ts';

/** Through the primary, which forwards what it gets. */
const SIBLINGS: Channel = {
  send: (message) => void process.send?.(message),
  onMessage: (listener) => void process.on('message', listener),
};

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
  if (config.workers > 1 && cluster.isPrimary) {
    const { supervise } = await import('./supervise.ts');
    return supervise(config, log);
  }
  const opening = openStoreFor(config);
  let service: RunningService;
  try {
    service = await startService({
      config,
      store: opening,
      log,
      servesMetrics: cluster.isPrimary,
      ...(cluster.isWorker ? { siblings: SIBLINGS, sharesPort: WORKERS_LISTEN } : {}),
    });
  } catch (error) {
    await (await opening).close();
    throw listenFailure(error, config);
  }
  const store = await opening;
  stopOnSignals(() => service.stop(), log);
  if (cluster.isWorker) {
    process.send?.({ kind: LISTENING, port: Number(new URL(service.url).port) });
    return;
  }
  try {
    await announce(service.url, store, config.policies);
  } catch (error) {
    await service.stop();
    throw listenFailure(error, config);
  }
  const { url, metricsUrl } = service;
  log.info({ version: VERSION, url, metricsUrl, ...storeNamed(config) }, 'serving');
}

function configOf(flags: Flags): Config {
  const loaded = loadConfig(process.env, flags);
  if (loaded.kind === 'invalid') {
    throw new CommandFailure(
      listFaults('the service does not start because its settings are invalid:', [
        ...loaded.faults,
        `see \`${calledAs()} serve --help\` for every setting`,
      ]),
    );
  }
  return loaded.config;
}
