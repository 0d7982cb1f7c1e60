/** Commands that work on the store directly: for whoever runs the service, no key needed. */
import { type Flags, loadConfig } from '../config/load-config.ts';
import type { Config } from '../config/settings.ts';
import { moment, name as nameField } from '../http/body-fields.ts';
import { shownKey } from '../http/routes/key-routes.ts';
import { createWorkspace } from '../keys/create-workspace.ts';
import { createKey, revokeKey } from '../keys/manage-keys.ts';
import { openStore } from '../main.ts';
import { type KeyKind, type Store, StoreUnavailable } from '../store/port.ts';
import { CommandFailure, listFaults } from './fail.ts';
import { storeFailure } from './start-failure.ts';

interface WorkspaceOption extends Flags {
  readonly workspace?: string;
}

export async function createWorkspaceCommand(flags: Flags, name: string): Promise<void> {
  const read = nameField.read(name);
  if ('fault' in read) throw new CommandFailure(`the name ${read.fault}`);
  await onStore(flags, async (store) => {
    const made = await createWorkspace(store, name, Date.now());
    print(
      `workspace        ${made.workspace.id}`,
      `owner key        ${made.ownerKey}`,
      `development key  ${made.developmentKey}`,
      '',
      'The keys are shown this once; keep them now.',
    );
  });
}

export async function listWorkspacesCommand(flags: Flags): Promise<void> {
  await onStore(flags, async (store) => {
    for (const { id, name, liveGranted } of await store.listWorkspaces(1_000_000)) {
      print(`${id}  ${name}${liveGranted ? '  (live keys granted)' : ''}`);
    }
  });
}

export async function grantLiveCommand(flags: Flags, id: string): Promise<void> {
  await onStore(flags, async (store) => {
    if (!(await store.grantLive(id, true))) throw new CommandFailure(`there is no workspace \`${id}\``);
    print(`${id} may now make live keys`);
  });
}

export interface CreateKeyOptions extends WorkspaceOption {
  readonly kind: KeyKind;
  readonly name: string;
  readonly expiresAt?: string;
  readonly system?: readonly string[];
  readonly workflow?: readonly string[];
}

export async function createKeyCommand(options: CreateKeyOptions): Promise<void> {
  const nowMs = Date.now();
  const faults: string[] = [];
  for (const [place, text] of [
    ['--name', options.name],
    ...(options.system ?? []).map((each) => ['--system', each] as const),
    ...(options.workflow ?? []).map((each) => ['--workflow', each] as const),
  ] as const) {
    const read = nameField.read(text);
    if ('fault' in read) faults.push(`${place} ${read.fault}`);
  }
  let expiresAtMs: number | undefined;
  if (options.expiresAt !== undefined) {
    const read = moment.read(options.expiresAt);
    if ('fault' in read) faults.push(`--expires-at ${read.fault}`);
    else if (read.value <= nowMs) faults.push('--expires-at must be ahead of now');
    else expiresAtMs = read.value;
  }
  if (options.kind === 'owner' && (options.system || options.workflow)) {
    faults.push('--system and --workflow are for keys that check; an owner key cannot');
  }
  if (faults.length > 0) throw new CommandFailure(listFaults('the key cannot be made:', faults));
  await onStore(options, async (store, { plan }) => {
    const workspace = await theWorkspace(store, options.workspace);
    const wish = {
      kind: options.kind,
      name: options.name,
      expiresAtMs,
      allowedSystems: options.system,
      allowedWorkflows: options.workflow,
    };
    const made = await createKey(store, plan, workspace, wish, nowMs);
    if (made.kind === 'refused') throw new CommandFailure(made.message);
    print(
      `key     ${made.key.id}`,
      `secret  ${made.secret}`,
      '',
      'The secret is shown this once; keep it now.',
    );
  });
}

export async function listKeysCommand(options: WorkspaceOption & { readonly json: boolean }): Promise<void> {
  await onStore(options, async (store) => {
    const keys = await store.listKeys(await theWorkspace(store, options.workspace));
    if (options.json) return print(JSON.stringify({ keys: keys.map(shownKey) }, null, 2));
    const nowMs = Date.now();
    for (const key of keys) {
      const isExpired = key.expiresAtMs !== null && key.expiresAtMs <= nowMs;
      const state = key.revokedAtMs !== null ? 'revoked' : isExpired ? 'expired' : 'active';
      const used =
        key.lastUsedAtMs === null ? 'never used' : `used ${new Date(key.lastUsedAtMs).toISOString()}`;
      print(`${key.id}  ${key.hint.padEnd(13)}  ${key.kind.padEnd(11)}  ${state}  ${used}  ${key.name}`);
    }
  });
}

export async function revokeKeyCommand(options: WorkspaceOption, id: string): Promise<void> {
  await onStore(options, async (store) => {
    const workspace = await theWorkspace(store, options.workspace);
    const outcome = await revokeKey(store, workspace, id, Date.now());
    if (outcome.kind === 'refused') throw new CommandFailure(outcome.message);
    print(`${id} is revoked`);
  });
}

export async function rebuildIndexCommand(flags: Flags): Promise<void> {
  await onStore(flags, async (store) => {
    print(`indexed ${await store.rebuildIndex()} records`);
  });
}

/** Opens the store of these settings, works on it, and lets go of it whatever happens. */
export async function onStore(
  options: Flags,
  work: (store: Store, config: Config) => Promise<void>,
): Promise<void> {
  const { data, databaseUrl, plan, signingKey } = options;
  const flags = {
    ...(data === undefined ? {} : { data }),
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(plan === undefined ? {} : { plan }),
    ...(signingKey === undefined ? {} : { signingKey }),
  };
  const loaded = loadConfig(process.env, flags);
  if (loaded.kind === 'invalid')
    throw new CommandFailure(listFaults('the settings have faults:', loaded.faults));
  let store: Store | null = null;
  try {
    store = await openStore(loaded.config, 'visit');
    await work(store, loaded.config);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw storeFailure(error, loaded.config);
  } finally {
    await store?.close();
  }
}

/** The one asked for, or the only one there is. */
export async function theWorkspace(store: Store, asked: string | undefined): Promise<string> {
  if (asked !== undefined) {
    if ((await store.findWorkspace(asked)) === null)
      throw new CommandFailure(`there is no workspace \`${asked}\``);
    return asked;
  }
  const [first, second] = await store.listWorkspaces(2);
  if (first === undefined) {
    throw new CommandFailure('there is no workspace yet; make one with `writecheck workspace create <name>`');
  }
  if (second !== undefined) {
    throw new CommandFailure(
      'there are several workspaces; name one with --workspace (see `writecheck workspace list`)',
    );
  }
  return first.id;
}

function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}
