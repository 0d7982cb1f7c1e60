/** `writecheck serve`: settings, store, first workspace, listening, and an orderly end. */
import cluster from 'node:cluster';
import { type Flags, loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/settings.ts';
import type { RunningService } from '../main.ts';
import { makeFirstWorkspace, openStore, startService } from '../main.ts';
import { createLog, type Log } from '../observability/log.ts';
import { type Store, StoreUnavailable } from '../store/port.ts';
import { CommandFailure, listFaults } from './fail.ts';
import { welcome } from './welcome.ts';

const STOP_WITHIN_MS = 9_500;

export async function serve(flags: Flags): Promise<void> {
  const config = configOf(flags);
  const log = createLog(config.logLevel);
  if (config.workers > 1 && cluster.isPrimary) {
    const { supervise } = await import('./supervise.ts');
    return supervise(config, log);
  }
  const store = await openStoreFor(config);
  let service: RunningService;
  try {
    service = await startService({ config, store, log, servesMetrics: cluster.isPrimary });
  } catch (error) {
    await store.close();
    throw listenFailure(error, config);
  }
  stopOnSignals(() => service.stop(), log);
  if (cluster.isWorker) return;
  await announce(service.url, store);
  log.info({ url: service.url, metricsUrl: service.metricsUrl, data: config.data }, 'serving');
}

/** Printed after the port is taken: keys that are shown once must not be lost to a failed start. */
export async function announce(url: string, store: Store): Promise<void> {
  const made = await makeFirstWorkspace(store, Date.now());
  process.stdout.write(`${made === null ? '' : welcome(made, url)}writecheck listens on ${url}\n`);
}

function configOf(flags: Flags): Config {
  const loaded = loadConfig(process.env, flags);
  const faults = loaded.kind === 'invalid' ? loaded.faults : notYet(loaded.config);
  if (faults.length > 0 || loaded.kind === 'invalid') {
    throw new CommandFailure(
      listFaults('the service does not start, because its settings have faults:', [
        ...faults,
        'see `writecheck serve --help` for every setting',
      ]),
    );
  }
  return loaded.config;
}

/** A setting that would be ignored is refused: whoever sets a policy folder believes that it decides. */
function notYet({ databaseUrl, policies, signingKey }: Config): readonly string[] {
  const faults: string[] = [];
  if (databaseUrl !== null)
    faults.push('WRITECHECK_DATABASE_URL: this version keeps its data in SQLite only; unset it');
  if (policies !== null)
    faults.push('WRITECHECK_POLICIES: this version takes policies over the API only; unset it');
  if (signingKey !== null)
    faults.push('WRITECHECK_SIGNING_KEY: this version does not sign its log yet; unset it');
  return faults;
}

export async function openStoreFor(config: Config): Promise<Store> {
  try {
    return await openStore(config);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new CommandFailure(`the store under \`${config.data}\` cannot be used: ${error.message}`);
  }
}

export function listenFailure(error: unknown, { host, port, metricsPort }: Config): unknown {
  const { code, port: wanted } = error as NodeJS.ErrnoException & { readonly port?: number };
  const isMetrics = wanted !== undefined && wanted === metricsPort && wanted !== port;
  const place = `port ${wanted ?? port} on \`${host}\``;
  const flag = isMetrics ? '--metrics-port' : '--port';
  switch (code) {
    case 'EADDRINUSE':
      return new CommandFailure(`${place} is in use; stop what uses it, or choose another one with ${flag}`);
    case 'EACCES':
      return new CommandFailure(
        `${place} may not be opened by this user; choose one above 1023 with ${flag}`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return new CommandFailure(`\`${host}\` is no address of this machine; choose another one with --host`);
    default:
      return error;
  }
}

export function stopOnSignals(stop: () => Promise<void>, log: Log): void {
  let isStopping = false;
  const end = (signal: NodeJS.Signals) => {
    // A second signal is a person who does not want to wait.
    if (isStopping) {
      if (signal === 'SIGINT') process.exit(130);
      return;
    }
    isStopping = true;
    log.info({ signal }, 'stopping: no new connections, answers in flight go out');
    const late = setTimeout(() => {
      log.warn({}, 'some answers were still in flight after the time to stop');
      process.exit(0);
    }, STOP_WITHIN_MS);
    late.unref();
    stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ error: String(error) }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}
