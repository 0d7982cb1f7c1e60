/** `writecheck migrate`: brings a store of an earlier version to the schema of this one. */
import { CommandFailure } from '@writecheck/contract/command';
import { hasStore, migrateStore, plannedMigration } from '@writecheck/service/runtime/open-store';
import { noStore, placeOf, storeFailure } from '@writecheck/service/runtime/threads/start-failure';
import type { Flags } from '@writecheck/service/support/config/load-config';
import type { Config } from '@writecheck/service/support/config/settings';
import { StoreUnavailable } from '@writecheck/store/port';
import { print, storeConfigOf } from './store-commands.ts';

const SECONDS_MAX = 86_400;
/** The exit code of a dry run, so that a script can tell whether to stop the replicas. */
const NEEDED_EXIT_CODE = 3;

interface MigrateOptions extends Flags {
  readonly dryRun: boolean;
  readonly lockTimeout: string;
}

export async function migrateCommand({ dryRun, lockTimeout, ...flags }: MigrateOptions): Promise<void> {
  const lockTimeoutMs = millisecondsOf(lockTimeout);
  const config = storeConfigOf(flags);
  try {
    // An empty database gets its schema; a folder without a database is probably the wrong one.
    if (config.databaseUrl === null && !(await hasStore(config))) throw noStore(config);
    if (dryRun) await showPlan(config);
    else print(await migrate(config, lockTimeoutMs));
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw storeFailure(error, config);
  }
}

async function showPlan(config: Config): Promise<void> {
  const planned = await plannedMigration(config);
  if (planned === null)
    return print(`${storeAt(config)} has the schema of this version; there is nothing to migrate`);
  const { from, to, users } = planned;
  const what = from === 0 ? 'has no schema yet' : `is at schema version ${from}`;
  print(`${storeAt(config)} ${what}; this version needs ${to}`, ...users, 'nothing was changed');
  process.exitCode = NEEDED_EXIT_CODE;
}

async function migrate(config: Config, lockTimeoutMs: number): Promise<string> {
  const startedMs = performance.now();
  const tell = (line: string) => process.stderr.write(`${line}\n`);
  const done = await migrateStore(config, { lockTimeoutMs, tell });
  if (done === null) return `${storeAt(config)} has the schema of this version; there was nothing to migrate`;
  const { from, to } = done;
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  return from === 0
    ? `${storeAt(config)} has its schema now, version ${to}`
    : `${storeAt(config)} was migrated from schema version ${from} to ${to} in ${seconds} s`;
}

function storeAt(config: Config): string {
  return `the store ${placeOf(config)}`;
}

function millisecondsOf(seconds: string): number {
  const given = /^\d{1,5}$/.test(seconds) ? Number(seconds) : Number.NaN;
  if (!(given >= 1 && given <= SECONDS_MAX))
    throw new CommandFailure(`--lock-timeout must be a whole number of seconds from 1 to ${SECONDS_MAX}`);
  return given * 1_000;
}
