/** Opens the configured store. Large parts load when needed. */
import { existsSync } from 'node:fs';
import type { Copied } from '@writecheck/store/copy-store';
import { makeFolders } from '@writecheck/store/make-folders';
import type { Progress, Store } from '@writecheck/store/port';
import type { ConnectTo } from '@writecheck/store/port/sharing';
import type { CreatedWorkspace } from '../features/keys/create-workspace.ts';
import type { RunningService, ServiceOptions } from '../start-service.ts';
import type { Config, StorePlace } from '../support/config/settings.ts';

const FIRST_WORKSPACE_NAME = 'default';

/** Whether these settings name a store, without creating anything. Rejects with `StoreUnavailable`. */
export async function hasStore({ data, databaseUrl }: StorePlace): Promise<boolean> {
  if (databaseUrl === null) {
    const { databasePath } = await import('@writecheck/store/sqlite/open-database');
    return existsSync(databasePath(data));
  }
  return (await import('@writecheck/store/postgres/prepare-database')).hasSchema(databaseUrl);
}

/** PostgreSQL itself knows which processes use the store. */
export async function isOpenElsewhere({ data, databaseUrl }: StorePlace): Promise<boolean> {
  return (
    databaseUrl === null && (await import('@writecheck/store/sqlite/open-database')).isOpenElsewhere(data)
  );
}

/**
 * Rejects with `StoreUnavailable`. A visitor reads and makes requested changes, but records no decisions.
 * `onThreadsStarting` is called once the threads of SQLite start; that takes a while and does not need this
 * thread. A connection to PostgreSQL does need it: if this thread were busy loading code, the response would
 * seem late.
 */
export async function openStore(
  {
    data,
    databaseUrl = null,
    plan = 'private',
    selfServeBytes,
  }: Pick<Config, 'data'> & Partial<Pick<Config, 'databaseUrl' | 'plan' | 'selfServeBytes'>>,
  purpose: 'serve' | 'visit' = 'serve',
  onThreadsStarting: () => void = () => undefined,
): Promise<Store> {
  // An operator's command has no ceilings.
  const storesAtMost = purpose === 'serve' && plan === 'hosted' ? (selfServeBytes ?? null) : null;
  if (databaseUrl === null) {
    const { openSqliteStore } = await import('@writecheck/store/sqlite/sqlite-store');
    const opening = openSqliteStore(data, storesAtMost);
    onThreadsStarting();
    return opening;
  }
  onThreadsStarting();
  // The folder holds the signing key, unless a key is given. A machine that keeps no files gets a key and needs
  // no folder.
  if (purpose === 'serve') {
    try {
      makeFolders(data, 0o700);
    } catch {}
  }
  const { openPostgresStore } = await import('@writecheck/store/postgres/postgres-store');
  return openPostgresStore(databaseUrl, { isWriter: purpose === 'serve', storesAtMost });
}

/**
 * Opens the store for a second thread of a process. On SQLite it writes through the open store's threads, whose
 * folder is `shared`; on PostgreSQL it opens its own. Rejects with `StoreUnavailable`.
 */
export async function joinStore(
  config: Pick<Config, 'data' | 'databaseUrl' | 'plan' | 'selfServeBytes'>,
  shared: string | null,
  connectTo: ConnectTo,
): Promise<Store> {
  if (shared === null) return openStore(config);
  const { joinSqliteStore } = await import('@writecheck/store/sqlite/sqlite-store');
  return joinSqliteStore(shared, connectTo);
}

/** Rejects with `StoreUnavailable`. */
export async function copyStore(data: string, databaseUrl: string, progress?: Progress): Promise<Copied> {
  return (await import('@writecheck/store/copy-store')).copyStore(data, databaseUrl, progress);
}

/** Loads everything that `joinStore` and `startService` run. */
export async function loadService({ databaseUrl }: Pick<Config, 'databaseUrl'>): Promise<void> {
  if (databaseUrl === null) await import('@writecheck/store/sqlite/sqlite-store');
  else await import('@writecheck/store/postgres/postgres-store');
  await import('../start-service.ts');
}

/** The store may still be opening: its threads start while the rest of the program loads. */
export async function startService(
  options: Omit<ServiceOptions, 'store'> & { readonly store: Store | Promise<Store> },
): Promise<RunningService> {
  const [store, http] = await Promise.all([options.store, import('../start-service.ts')]);
  return http.startService({ ...options, store });
}

/** Null if a workspace already exists. */
export async function makeFirstWorkspace(store: Store, nowMs: number): Promise<CreatedWorkspace | null> {
  const { createFirstWorkspace } = await import('../features/keys/create-workspace.ts');
  return createFirstWorkspace(store, FIRST_WORKSPACE_NAME, nowMs);
}

export type { RunningService };
