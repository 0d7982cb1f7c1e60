/** `writecheck people ...`: who is in a workspace, and how to shut somebody out, directly on the store. */
import { isDeepStrictEqual } from 'node:util';
import { visible } from '@writecheck/contract';
import { CommandFailure } from '@writecheck/contract/command';
import type { PersonEvent } from '@writecheck/ledger';
import { nextVersion, withHistory } from '@writecheck/service/features/people/commit-person';
import { personEntry } from '@writecheck/service/features/people/person-entries';
import { calledAs } from '@writecheck/service/support/called-as';
import type { FoundPerson, StoredPerson } from '@writecheck/store/port/people';
import { inWorkspace, print, type WorkspaceOption } from './store-commands.ts';
import { operator } from './the-operator.ts';

export async function listPeopleCommand(options: WorkspaceOption): Promise<void> {
  await inWorkspace(options, async (store, workspace) => {
    const people = await store.listPeople(workspace);
    for (const person of people) print(described(person));
    if (people.length === 0) print('nobody has joined this workspace');
  });
}

function described({ id, state, name, email, roles, lastSeenAtMs }: FoundPerson): string {
  const seen = lastSeenAtMs === null ? 'never seen' : `seen ${new Date(lastSeenAtMs).toISOString()}`;
  return `${id}  ${state.padEnd(8)}  ${roles.join(', ')}  ${seen}  ${visible(name)} <${visible(email)}>`;
}

/** Their sessions, passkeys and approvals no longer count; the keys that they hold are refused. */
export async function disablePersonCommand(options: WorkspaceOption, id: string): Promise<void> {
  const isNew = await shutOut(options, id, null);
  print(isNew ? `${id} is disabled` : `${id} was disabled before; nothing was changed`);
}

/**
 * INVARIANT: the row stays under its id, because verdicts in the log name it; nothing in it identifies the
 * person.
 */
export async function removePersonCommand(options: WorkspaceOption, id: string): Promise<void> {
  const nobody = { name: 'removed', email: `${id}@removed.invalid`, oidc: null, groups: [] };
  const isNew = await shutOut(options, id, nobody);
  print(
    isNew
      ? `${id} is disabled, and their name, address and identity are gone; the log keeps the id`
      : `${id} was removed before; nothing was changed`,
  );
}

/** False if it was done before. `nobody` replaces the person's data if that is to be erased too. */
async function shutOut(
  options: WorkspaceOption,
  id: string,
  nobody: Pick<StoredPerson, 'name' | 'email' | 'oidc' | 'groups'> | null,
): Promise<boolean> {
  let events: readonly PersonEvent[] = [];
  await inWorkspace(options, async (store, workspace) => {
    const [before] = await store.findPeople(workspace, [id]);
    if (before === undefined)
      throw new CommandFailure(
        `there is no person \`${id}\` in that workspace; see \`${calledAs()} people list\``,
      );
    const isIn = before.state !== 'disabled';
    const isKnown = nobody !== null && !isDeepStrictEqual({ ...before, ...nobody }, before);
    events = [...(isIn ? ['disabled' as const] : []), ...(isKnown ? ['removed' as const] : [])];
    if (events.length === 0) return;
    const atMs = Math.max(Date.now(), await store.newestAtMs());
    const epoch = isIn ? before.epoch + 1 : before.epoch;
    const person = nextVersion(before, { ...nobody, state: 'disabled', epoch, invitation: null });
    const by = operator();
    const entries = events.map((event) => personEntry(person, event, by, atMs));
    const { kind } = await store.changePerson(withHistory({ person, acting: by, entries }));
    if (kind === 'changed') return;
    throw new CommandFailure(
      kind === 'last_owner_key'
        ? 'they hold the last owner key that never expires; create another owner key first'
        : `${id} was changed by somebody else meanwhile; run the command again`,
    );
  });
  return events.length > 0;
}
