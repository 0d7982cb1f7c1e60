/** Puts the service together; the only file that names a concrete store. What is large is loaded when it is needed. */
import type { Config } from './config/settings.ts';
import type { RunningService, ServiceOptions } from './http/start-service.ts';
import type { NewWorkspace } from './keys/create-workspace.ts';
import type { Store } from './store/port.ts';

const FIRST_WORKSPACE_NAME = 'default';

/** Rejects with `StoreUnavailable`. */
export async function openStore(config: Pick<Config, 'data'>): Promise<Store> {
  const { openSqliteStore } = await import('./store/sqlite/sqlite-store.ts');
  return openSqliteStore(config.data);
}

/** The store may still be opening: its threads start while the rest of the program is loaded. */
export async function startService(
  options: Omit<ServiceOptions, 'store'> & { readonly store: Store | Promise<Store> },
): Promise<RunningService> {
  const [store, http] = await Promise.all([options.store, import('./http/start-service.ts')]);
  return http.startService({ ...options, store });
}

/** Null where there is a workspace already. */
export async function makeFirstWorkspace(store: Store, nowMs: number): Promise<NewWorkspace | null> {
  const { createFirstWorkspace } = await import('./keys/create-workspace.ts');
  return createFirstWorkspace(store, FIRST_WORKSPACE_NAME, nowMs);
}

export type { RunningService };
