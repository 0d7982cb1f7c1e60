/** `writecheck people ...`: who is in a workspace, and how to shut somebody out, directly on the store. */
import { visible } from '@writecheck/contract';
import { nextVersion, withHistory } from '@writecheck/service/features/people/commit-person';
import { personEntry } from '@writecheck/service/features/people/person-entries';
import type { Flags } from '@writecheck/service/support/config/load-config';
import { CommandFailure } from '@writecheck/service/support/fail';
import type { Store } from '@writecheck/store/port';
import type { FoundPerson, StoredPerson } from '@writecheck/store/port/people';
import { onStore, print, theWorkspace } from './store-commands.ts';
import { operator } from './the-operator.ts';

interface WorkspaceOption extends Flags {
  readonly workspace?: string;
}

export async function listPeopleCommand(options: WorkspaceOption): Promise<void> {
  await onStore(options, async (store) => {
    const people = await store.listPeople(await theWorkspace(store, options.workspace));
    for (const person of people) print(described(person));
    if (people.length === 0) print('nobody has joined this workspace');
  });
}

function described({ id, state, name, email, roles, lastSeenAtMs }: FoundPerson): string {
  const seen = lastSeenAtMs === null ? 'never seen' : `seen ${new Date(lastSeenAtMs).toISOString()}`;
  return `${id}  ${state.padEnd(8)}  ${roles.join(', ')}  ${seen}  ${visible(name)} <${visible(email)}>`;
}

/** Their sessions, passkeys and approvals count no more; the keys that they hold are refused. */
export async function disablePersonCommand(options: WorkspaceOption, id: string): Promise<void> {
  await shutOut(options, id, {});
  print(`${id} is disabled`);
}

/** INVARIANT: the row stays under its id, because verdicts of the log name it; nothing in it says who it was. */
export async function removePersonCommand(options: WorkspaceOption, id: string): Promise<void> {
  await shutOut(options, id, { name: 'removed', email: `${id}@removed.invalid`, oidc: null, groups: [] });
  print(`${id} is disabled, and their name, address and identity are gone; the log keeps the id`);
}

async function shutOut(options: WorkspaceOption, id: string, members: Partial<StoredPerson>): Promise<void> {
  await onStore(options, async (store) => {
    const workspace = await theWorkspace(store, options.workspace);
    const outcome = await changed(store, workspace, id, members);
    if (outcome === 'changed') return;
    throw new CommandFailure(
      outcome === 'last_owner_key'
        ? 'they hold the last owner key that never expires; create another one first'
        : `${id} was changed by somebody else meanwhile; run the command again`,
    );
  });
}

async function changed(store: Store, workspace: string, id: string, members: Partial<StoredPerson>) {
  const [before] = await store.findPeople(workspace, [id]);
  if (before === undefined) throw new CommandFailure(`there is no person \`${id}\` in that workspace`);
  const atMs = Math.max(Date.now(), await store.newestAtMs());
  const epoch = before.state === 'disabled' ? before.epoch : before.epoch + 1;
  const person = nextVersion(before, { ...members, state: 'disabled', epoch, invitation: null });
  const by = operator();
  const change = { person, acting: by, entries: [personEntry(person, 'disabled', by, atMs)] };
  return (await store.changePerson(withHistory(change))).kind;
}
