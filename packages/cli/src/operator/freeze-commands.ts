/** `writecheck freeze ...`: stops writes with the store's own rights, even if the service does not respond. */
import { FREEZES, moment } from '@writecheck/api';
import { type FreezeScope, visible } from '@writecheck/contract';
import { CommandFailure, listFaults } from '@writecheck/contract/command';
import { untilFault } from '@writecheck/service/features/freezes/freeze-until';
import { calledAs } from '@writecheck/service/support/called-as';
import { newId } from '@writecheck/service/support/ids/new-id';
import type { Store } from '@writecheck/store/port';
import type { StoredFreeze } from '@writecheck/store/port/freezes';
import { onStore, print, theWorkspace, type WorkspaceOption } from './store-commands.ts';
import { operator } from './the-operator.ts';

const RESTORED = 'restored from a backup';

export interface FreezeOptions extends WorkspaceOption {
  readonly reason?: string;
  readonly system?: readonly string[];
  readonly objectType?: readonly string[];
  readonly field?: readonly string[];
  readonly operation?: readonly string[];
  readonly workflow?: readonly string[];
  readonly key?: readonly string[];
  readonly until?: string;
  readonly all?: boolean;
}

export async function freezeCommand(options: FreezeOptions): Promise<void> {
  const { objectType, field, operation, system, workflow: workflowId, key: keyId } = options;
  const members = Object.entries({ system, objectType, field, operation, workflowId, keyId });
  const scope = Object.fromEntries(members.filter(([, value]) => value !== undefined));
  const read = FREEZES.createFreeze.body.read({ reason: options.reason, scope });
  const faults = 'faults' in read ? read.faults.map(({ message }) => asFlags(message)) : [];
  const until = options.until === undefined ? null : moment.read(options.until);
  const untilMs = until !== null && 'value' in until ? until.value : null;
  const late = untilMs === null ? null : untilFault(untilMs, Date.now(), true);
  if (until !== null && 'fault' in until) faults.push(`--until ${until.fault}`);
  if (late !== null) faults.push(`--until ${late}; give another time, or leave it out`);
  if (options.all && options.workspace !== undefined) faults.push('give --workspace or --all, not both');
  if (faults.length > 0) throw new CommandFailure(listFaults('nothing is frozen:', faults));
  const { reason = '' } = options;
  await onStore(options, async (store) => {
    const workspaces = options.all
      ? (await store.listWorkspaces()).map(({ id }) => id)
      : [await theWorkspace(store, options.workspace)];
    for (const workspace of workspaces) {
      const { id } = await freeze(store, workspace, reason, scope, untilMs);
      print(`${id} stops ${workspace}`);
    }
  });
}

/** The shape names members; on the command line they are flags. */
function asFlags(message: string): string {
  return message.replace('`reason`', '--reason');
}

async function freeze(
  store: Store,
  workspace: string,
  reason: string,
  scope: FreezeScope,
  untilMs: number | null,
): Promise<StoredFreeze> {
  const atMs = Math.max(Date.now(), await store.newestAtMs());
  const wish = { workspace, id: newId('frz_', atMs), scope, reason, untilMs, atMs };
  const outcome = await store.freeze({ ...wish, by: operator(), places: null, idempotency: null });
  if (outcome.kind === 'frozen') return outcome.freeze;
  throw new CommandFailure(
    outcome.kind === 'unknown_key'
      ? `there is no key \`${outcome.keyId}\` in ${workspace}; nothing is frozen`
      : `there is no workspace \`${workspace}\`; nothing is frozen`,
  );
}

export async function listFreezesCommand(options: FreezeOptions): Promise<void> {
  await onStore(options, async (store) => {
    const active = await store.freezesEverywhere('active');
    for (const { id, workspace, createdAtMs, createdBy, scope, reason } of active) {
      const stops = Object.keys(scope).length === 0 ? 'everything' : JSON.stringify(scope);
      print(
        `${id}  ${workspace}  since ${new Date(createdAtMs).toISOString()} by ${createdBy.kind} ${createdBy.id}  ${stops}: ${visible(reason)}`,
      );
    }
    if (active.length === 0) print('no freeze is active');
  });
}

export async function liftCommand(
  options: FreezeOptions & { readonly restored?: boolean },
  id: string | undefined,
): Promise<void> {
  const { reason = '', restored = false } = options;
  const read = FREEZES.liftFreeze.body.read({ reason });
  const faults = 'faults' in read ? read.faults.map(({ message }) => asFlags(message)) : [];
  if (restored === (id !== undefined)) faults.push('name the freeze to lift, or give --restored, not both');
  if (faults.length > 0) throw new CommandFailure(listFaults('nothing is lifted:', faults));
  await onStore(options, async (store) => {
    const atMs = Math.max(Date.now(), await store.newestAtMs());
    // An operator in an emergency may not know which workspace it is in.
    const found = await store.freezesEverywhere(id === undefined ? 'active' : { id });
    const named = id === undefined ? found.filter(isOfRestore) : found;
    if (id !== undefined && named.length === 0)
      throw new CommandFailure(`there is no freeze \`${id}\`; see \`${calledAs()} freeze list\``);
    for (const freeze of named) {
      await store.lift({
        workspace: freeze.workspace,
        which: { id: freeze.id },
        by: operator(),
        reason,
        atMs,
      });
      print(`${freeze.id} is lifted`);
    }
    if (named.length === 0) print('no freeze of a restore is active');
  });
}

function isOfRestore({ reason, createdBy }: StoredFreeze): boolean {
  return reason === RESTORED && createdBy.kind === 'operator';
}

/** A backup cannot know what was decided after it, so a person says when writes may continue. */
export async function freezeRestored(store: Store): Promise<readonly StoredFreeze[]> {
  const made: StoredFreeze[] = [];
  const before = (await store.freezesEverywhere('active')).filter(isOfRestore);
  for (const { id: workspace } of await store.listWorkspaces()) {
    // A restore may be repeated.
    if (!before.some((each) => each.workspace === workspace))
      made.push(await freeze(store, workspace, RESTORED, {}, null));
  }
  return made;
}
