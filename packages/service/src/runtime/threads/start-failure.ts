/** Explains why a service does not start, and names the fix. */
import { statSync } from 'node:fs';
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import { type Store, StoreUnavailable } from '@writecheck/store/port';
import { KEPT_CHECKPOINT, readKeptCheckpoint } from '../../features/audit/kept-checkpoint.ts';
import { LogRefused } from '../../features/audit/log-refused.ts';
import { loadSigner } from '../../features/audit/log-signer.ts';
import { FolderUnusable } from '../../features/policies/folder-unusable.ts';
import type { Config, StorePlace } from '../../support/config/settings.ts';
import { redact } from '../../support/observability/redact.ts';
import { hasStore, openStore } from '../open-store.ts';
import { shownUrl } from './store-named.ts';

/** Called once the ports are taken, so that a failed start changes nothing. */
export async function openStoreFor(
  config: Config,
  purpose: 'serve' | 'visit' = 'serve',
  onThreadsStarting?: () => void,
): Promise<Store> {
  try {
    await requireUsable(config);
    return await openStore(config, purpose, onThreadsStarting);
  } catch (error) {
    if (error instanceof LogRefused) throw new CommandFailure(error.message);
    if (!(error instanceof StoreUnavailable)) throw error;
    throw storeFailure(error, config);
  }
}

/**
 * INVARIANT: no store is created beside a kept checkpoint, because it would look like one that lost its
 * workspaces. Nor is one created for a signing key that cannot be used.
 */
async function requireUsable(config: Config): Promise<void> {
  if (statSync(config.data, { throwIfNoEntry: false })?.isFile() === true)
    throw new CommandFailure(`\`${config.data}\` is a file; name a folder with --data or WRITECHECK_DATA`);
  if (config.signingKey !== null) loadSigner(config, false);
  if (readKeptCheckpoint(config.data) === null || (await hasStore(config))) return;
  throw new CommandFailure(
    `there is no database ${placeOf(config)}, but \`${config.data}\` keeps the checkpoint of one; restore the database from a backup, or name the right place with --data or --database-url. To start over, move the file \`${KEPT_CHECKPOINT}\` away and keep it`,
  );
}

export function storeFailure(failure: StoreUnavailable, config: Config): CommandFailure {
  const { why, message, cause } = failure;
  // No log exists yet, so the message itself must name the cause.
  const found = why === 'unknown' && cause instanceof Error ? redact(cause.message.split('\n', 1)[0]!) : '';
  return new CommandFailure(`the store ${placeOf(config)} cannot be used: ${found === '' ? message : found}`);
}

/** The error of a command that works on a store and must not create one. */
export function noStore({ data, databaseUrl }: StorePlace): CommandFailure {
  return new CommandFailure(
    databaseUrl === null
      ? `there is no store in \`${data}\`; name its folder with --data or WRITECHECK_DATA`
      : `there is no store ${placeOf({ data, databaseUrl })}; name its database with --database-url or WRITECHECK_DATABASE_URL`,
  );
}

/** Names the place of the data, without the password that a URL may contain. */
export function placeOf({ data, databaseUrl }: StorePlace): string {
  if (databaseUrl === null) return `under \`${data}\``;
  return `at \`${shownUrl(databaseUrl)}\``;
}

export function listenFailure(error: unknown, config: Config): unknown {
  if (error instanceof StoreUnavailable) return storeFailure(error, config);
  if (error instanceof FolderUnusable) {
    return new CommandFailure(
      listFaults(`the service does not start, because ${error.message}:`, error.faults),
    );
  }
  if (error instanceof LogRefused) return new CommandFailure(error.message);
  return portFailure(error, config, '--metrics-port');
}

/** `metricsSetting` is the setting that chose the metrics port. */
export function portFailure(
  error: unknown,
  { host, port, metricsPort }: Pick<Config, 'host' | 'port' | 'metricsPort'>,
  metricsSetting: string,
): unknown {
  const { code, port: wanted } = error as NodeJS.ErrnoException & { readonly port?: number };
  const isMetrics = wanted !== undefined && wanted === metricsPort && wanted !== port;
  if (code === 'EADDRINUSE' && wanted !== undefined && wanted === port && port === metricsPort)
    return new CommandFailure(
      `checks and metrics cannot share port ${port}; choose another one with ${metricsSetting}`,
    );
  const place = `port ${wanted ?? port} on \`${host}\``;
  const flag = isMetrics ? metricsSetting : '--port';
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
      return new CommandFailure(
        `\`${host}\` is not an address of this machine; choose another one with --host`,
      );
    default:
      return error;
  }
}
