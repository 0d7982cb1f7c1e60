/** `writecheck workspace suspend|resume|delete|grant-live`, directly on the store, beside a running service. */
import { createInterface } from 'node:readline/promises';
import { visible } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import type { Flags } from '@writecheck/service/support/config/load-config';
import { newId } from '@writecheck/service/support/ids/new-id';
import type { Store, Workspace } from '@writecheck/store/port';
import type { StateChange, StateOutcome, WorkspaceContents } from '@writecheck/store/port/workspaces';
import { entriesShown } from './audit-store.ts';
import { showProgress } from './show-progress.ts';
import { noWorkspace, onStore, print } from './store-commands.ts';
import { operator } from './the-operator.ts';

type Change = (store: Store, change: StateChange) => Promise<StateOutcome>;

export async function suspendCommand(flags: Flags, id: string): Promise<void> {
  await change(flags, id, (store, wish) => store.changeWorkspaceState(wish, 'suspended'), {
    changed:
      'is suspended; every service refuses its keys and sessions within a second, and nothing of it is lost',
    unchanged: 'was suspended before; nothing was changed',
  });
}

export async function resumeCommand(flags: Flags, id: string): Promise<void> {
  await change(flags, id, (store, wish) => store.changeWorkspaceState(wish, 'active'), {
    changed: 'is active again; its keys and sessions work within a second',
    unchanged: 'was active before; nothing was changed',
  });
}

export async function grantLiveCommand(flags: Flags, id: string): Promise<void> {
  await change(flags, id, (store, wish) => store.grantLive(wish), {
    changed: 'may now create live keys, and has no ceilings',
    unchanged: 'was granted live keys before; nothing was changed',
  });
}

async function change(
  flags: Flags,
  id: string,
  make: Change,
  told: { readonly changed: string; readonly unchanged: string },
): Promise<void> {
  await onStore(flags, async (store) => {
    const outcome = await make(store, await changeOf(store, id));
    if (outcome.kind === 'no_such_workspace') throw noWorkspace(id);
    print(`${id} ${told[outcome.kind]}`);
  });
}

async function changeOf(store: Store, workspace: string): Promise<StateChange> {
  return { workspace, by: operator(), atMs: Math.max(Date.now(), await store.newestAtMs()) };
}

export async function deleteCommand(
  { yes, ...flags }: Flags & { readonly yes: boolean },
  id: string,
): Promise<void> {
  await onStore(flags, async (store) => {
    const found = await store.findWorkspace(id);
    if (found === null) throw noWorkspace(id);
    // The name goes last, so this one was confirmed before, and perhaps interrupted.
    if (found.state !== 'deleted') {
      const contents = await store.workspaceContents(id, showProgress('counting'));
      print(...described(found, contents));
      if (!yes) await confirm(found);
      await store.changeWorkspaceState(await changeOf(store, id), 'deleted');
      print(`${id} is deleted: every service refuses its keys and sessions within a second`);
    }
    const wish = await changeOf(store, id);
    const emptied = await store.eraseWorkspace(
      { ...wish, id: newId('era_', wish.atMs) },
      showProgress('erasing'),
    );
    print(
      `erased ${entriesShown(emptied)} and everything else of it; the hashes of its records stay in the log, with who deleted it`,
    );
  });
}

const WORDS: { readonly [table: string]: readonly [one: string, many: string] } = {
  api_key: ['key', 'keys'],
  person: ['person', 'people'],
  policy: ['policy revision', 'policy revisions'],
  review: ['review', 'reviews'],
  webhook: ['webhook', 'webhooks'],
  freeze: ['freeze', 'freezes'],
  idempotency: ['kept response', 'kept responses'],
};

function described(
  { id, name }: Workspace,
  { entries, decisions, rows }: WorkspaceContents,
): readonly string[] {
  const counted = Object.entries(WORDS).map(([table, [one, many]]) => {
    const count = rows[table] ?? 0;
    return `${count} ${count === 1 ? one : many}`;
  });
  return [
    `this erases ${id}, ${visible(name)}, for good:`,
    `  ${entriesShown(entries)} of the log, ${decisions} of them decisions`,
    `  ${counted.join(', ')}`,
  ];
}

/** Answered with the name, or with y. */
async function confirm({ name }: Workspace): Promise<void> {
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true)
    throw new CommandFailure('nothing was deleted; add --yes to delete it');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const said = (await terminal.question('Delete it? Type its name, or y: ')).trim();
    if (said !== name && said.toLowerCase() !== 'y') throw new CommandFailure('nothing was deleted');
  } finally {
    terminal.close();
  }
}
