/** Commands that work on the store directly: for operators, without a key. */
import { label } from '@writecheck/api';
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import { createWorkspace } from '@writecheck/service/features/keys/create-workspace';
import { hasStore, isOpenElsewhere, openStore } from '@writecheck/service/runtime/open-store';
import { noStore, storeFailure } from '@writecheck/service/runtime/threads/start-failure';
import { calledAs } from '@writecheck/service/support/called-as';
import { type Flags, loadStoreConfig } from '@writecheck/service/support/config/load-config';
import type { Config } from '@writecheck/service/support/config/settings';
import { type Store, StoreUnavailable } from '@writecheck/store/port';
import { showProgress } from './show-progress.ts';

export async function createWorkspaceCommand(flags: Flags, name: string): Promise<void> {
  const read = label.read(name);
  if ('fault' in read) throw new CommandFailure(`the name ${read.fault}`);
  const create = async (store: Store) => {
    const made = await createWorkspace(store, name, Date.now());
    print(
      `workspace        ${made.workspace.id}`,
      `owner key        ${made.ownerKey}`,
      `development key  ${made.developmentKey}`,
      '',
      'Save these keys now. They will not be shown again.',
    );
  };
  await onStore(flags, create, { mayCreate: true });
}

export async function rebuildIndexCommand(flags: Flags): Promise<void> {
  await onStore(flags, async (store) => {
    print(`indexed ${await store.rebuildIndex(showProgress('rebuilding the search index'))} records`);
    const { groups, differed } = await store.rebuildDraws();
    print(`counted ${groups} groups of limits; ${differed} differed from the log and were corrected`);
  });
}

/** The settings of a command that works on a store. */
export function storeConfigOf(flags: Flags): Config {
  const loaded = loadStoreConfig(process.env, flags);
  if (loaded.kind === 'config') return loaded.config;
  throw new CommandFailure(listFaults('the settings are invalid:', loaded.faults));
}

/**
 * Opens the store that these settings name and closes it after the work, even after a failure. A command must
 * report a wrong folder: a store created by mistake looks like one that lost its workspaces. `alone`: on
 * SQLite, only if no other process has it open.
 */
export async function onStore(
  options: Flags,
  work: (store: Store, config: Config) => Promise<void>,
  { mayCreate = false, alone = false }: { readonly mayCreate?: boolean; readonly alone?: boolean } = {},
): Promise<void> {
  const { data, databaseUrl, plan, signingKey } = options;
  const config = storeConfigOf({ data, databaseUrl, plan, signingKey });
  let store: Store | null = null;
  try {
    if (!mayCreate && !(await hasStore(config))) throw noStore(config);
    if (alone && (await isOpenElsewhere(config)))
      throw new CommandFailure('another process has this store open; stop the service first, then try again');
    store = await openStore(config, 'visit');
    await work(store, config);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw storeFailure(error, config);
  } finally {
    await store?.close();
  }
}

export interface WorkspaceOption extends Flags {
  readonly workspace?: string;
}

/** Like `onStore`, for a command on one workspace: the requested one, or the only one. */
export function inWorkspace(
  options: WorkspaceOption,
  work: (store: Store, workspace: string, config: Config) => Promise<void>,
): Promise<void> {
  return onStore(options, async (store, config) =>
    work(store, await theWorkspace(store, options.workspace), config),
  );
}

/** The requested workspace, or the only one. */
export async function theWorkspace(store: Store, asked: string | undefined): Promise<string> {
  if (asked !== undefined) {
    const found = await store.findWorkspace(asked);
    if (found === null || found.state === 'deleted') throw noWorkspace(asked);
    return asked;
  }
  const [first, second] = await store.listWorkspaces(2);
  if (first === undefined) {
    throw new CommandFailure(
      `there is no workspace yet; create one with \`${calledAs()} workspace create <name>\``,
    );
  }
  if (second !== undefined) {
    throw new CommandFailure(
      `there are several workspaces; name one with --workspace (see \`${calledAs()} workspace list\`)`,
    );
  }
  return first.id;
}

export function noWorkspace(id: string): CommandFailure {
  return new CommandFailure(`there is no workspace \`${id}\`; see \`${calledAs()} workspace list\``);
}

export function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
