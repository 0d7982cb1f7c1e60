/** What keeps a service from starting, in words that name the mend. */
import { LogRefused } from '../audit/log-refused.ts';
import type { Config } from '../config/settings.ts';
import { openStore } from '../main.ts';
import { FolderUnusable } from '../policies/policy-folder.ts';
import { type Store, StoreUnavailable } from '../store/port.ts';
import { CommandFailure, listFaults } from './fail.ts';

export async function openStoreFor(config: Config): Promise<Store> {
  try {
    return await openStore(config);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw storeFailure(error, config.data);
  }
}

function storeFailure({ message }: StoreUnavailable, data: string): CommandFailure {
  return new CommandFailure(`the store under \`${data}\` cannot be used: ${message}`);
}

export function listenFailure(error: unknown, { data, host, port, metricsPort }: Config): unknown {
  if (error instanceof StoreUnavailable) return storeFailure(error, data);
  if (error instanceof FolderUnusable) {
    return new CommandFailure(
      listFaults(`the service does not start, because ${error.message}:`, error.faults),
    );
  }
  if (error instanceof LogRefused) return new CommandFailure(error.message);
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
