/** `writecheck migrate-store`: from the SQLite store in a folder to an empty PostgreSQL database. */
import { CommandFailure } from '@writecheck/contract/command';
import { copyStore, hasStore } from '@writecheck/service/runtime/open-store';
import { noStore } from '@writecheck/service/runtime/threads/start-failure';
import type { Flags } from '@writecheck/service/support/config/load-config';
import { StoreUnavailable } from '@writecheck/store/port';
import { showProgress } from './show-progress.ts';
import { print, storeConfigOf } from './store-commands.ts';

export async function migrateStoreCommand(flags: Flags): Promise<void> {
  const { data, databaseUrl } = storeConfigOf(flags);
  if (databaseUrl === null)
    throw new CommandFailure('name the target with --database-url or WRITECHECK_DATABASE_URL');
  if (!(await hasStore({ data, databaseUrl: null }))) throw noStore({ data, databaseUrl: null });
  try {
    const { workspaces, logs, isFinishedOnly } = await copyStore(
      data,
      databaseUrl,
      showProgress('copying entries'),
    );
    const count = workspaces === 1 ? '1 workspace' : `${workspaces} workspaces`;
    print(
      ...(isFinishedOnly ? ['an earlier run had copied everything; this one closed the SQLite store'] : []),
      `copied ${count}`,
      ...logs.map(({ log, size }) => `copied log \`${log}\` with its ${size} entries`),
      `start the service with the same --data \`${data}\`, where its signing key is, and this --database-url`,
      'the SQLite store in that folder accepts no more decisions, because the log would grow in two places',
    );
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new CommandFailure(`the store under \`${data}\` was not migrated: ${error.message}`);
  }
}
