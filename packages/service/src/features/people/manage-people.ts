/** Lets owners invite, change, reset and disable people. */
import type { PersonEntry, PersonEvent } from '@writecheck/ledger';
import type { FoundPerson, PersonChange, StoredPerson } from '@writecheck/store/port/people';
import { type Actor, actingOf } from '../../exchange/actor.ts';
import { isRefusal, type Refusal, refuse } from '../../exchange/refusal.ts';
import { newId } from '../../support/ids/new-id.ts';
import { findPerson, isRemoved, NO_PERSON, nextVersion, REMOVED, untilCommitted } from './commit-person.ts';
import { type MadeInvitation, makeInvitation } from './invitation.ts';
import type { PeopleParts } from './people-parts.ts';
import { authorOf, personEntry } from './person-entries.ts';

export interface Invited {
  readonly kind: 'invited';
  readonly person: FoundPerson;
  readonly invitation: MadeInvitation;
}

type PersonWish = Pick<StoredPerson, 'name' | 'email' | 'roles' | 'groups'>;

export async function createPerson(
  parts: PeopleParts,
  actor: Actor,
  wish: PersonWish,
  nowMs: number,
): Promise<Invited | Refusal> {
  const invitation = makeInvitation(parts, authorOf(actor), nowMs);
  const person: StoredPerson = {
    ...wish,
    workspace: actor.workspace,
    id: newId('per_', nowMs),
    version: 1,
    state: 'invited',
    epoch: 1,
    invitation: invitation.stored,
    oidc: null,
    createdAtMs: nowMs,
    history: [],
  };
  const change = changeBy(actor, person, 'invited', nowMs, invitedDetails(person));
  const written = await untilCommitted(parts, async () => change);
  return isRefusal(written) ? written : { kind: 'invited', person: written, invitation };
}

function changeBy(
  actor: Actor,
  person: StoredPerson,
  event: PersonEvent,
  nowMs: number,
  details: PersonEntry['details'] = {},
): PersonChange {
  const entries = [personEntry(person, event, authorOf(actor), nowMs, details)];
  return { person, entries, acting: actingOf(actor) };
}

function invitedDetails({ roles, groups, invitation }: StoredPerson) {
  return { roles, groups, expiresAt: new Date(invitation!.expiresAtMs).toISOString() };
}

/** Ends an earlier invitation. For somebody who has joined it is a reset: their sessions, passkeys and approvals no longer count. */
export async function invitePerson(
  parts: PeopleParts,
  actor: Actor,
  id: string,
  nowMs: number,
): Promise<Invited | Refusal> {
  const invitation = makeInvitation(parts, authorOf(actor), nowMs);
  const written = await untilCommitted(parts, async () => {
    const before = await findPerson(parts, actor.workspace, id);
    if (before === null) return NO_PERSON;
    if (isRemoved(before)) return REMOVED;
    const isReset = before.state === 'active' || before.lastSeenAtMs !== null;
    const person = nextVersion(before, {
      state: 'invited',
      invitation: invitation.stored,
      ...(isReset && { epoch: before.epoch + 1, oidc: null }),
    });
    return changeBy(actor, person, isReset ? 'reset' : 'invited', nowMs, invitedDetails(person));
  });
  return isRefusal(written) ? written : { kind: 'invited', person: written, invitation };
}

type PersonPatch = Partial<Pick<StoredPerson, 'name' | 'roles' | 'groups'>>;

const NOT_ONES_OWN = refuse(
  'insufficient_scope',
  'nobody changes their own roles or groups; ask another owner of the workspace',
);

export async function changePerson(
  parts: PeopleParts,
  actor: Actor,
  id: string,
  patch: PersonPatch,
  nowMs: number,
): Promise<FoundPerson | Refusal> {
  const touchesRights = patch.roles !== undefined || patch.groups !== undefined;
  if (touchesRights && actor.kind === 'person' && actor.id === id) return NOT_ONES_OWN;
  return untilCommitted(parts, async () => {
    const before = await findPerson(parts, actor.workspace, id);
    if (before === null) return NO_PERSON;
    if (isRemoved(before)) return REMOVED;
    const members = (['name', 'roles', 'groups'] as const).filter(
      (member) =>
        patch[member] !== undefined && JSON.stringify(patch[member]) !== JSON.stringify(before[member]),
    );
    if (members.length === 0) return { unchanged: before };
    const person = nextVersion(before, patch);
    const { roles, groups } = person;
    return changeBy(actor, person, 'changed', nowMs, { members, roles, groups });
  });
}

export async function disablePerson(
  parts: PeopleParts,
  actor: Actor,
  id: string,
  nowMs: number,
): Promise<FoundPerson | Refusal> {
  return untilCommitted(parts, async () => {
    const before = await findPerson(parts, actor.workspace, id);
    if (before === null) return NO_PERSON;
    if (before.state === 'disabled') return { unchanged: before };
    const person = nextVersion(before, { state: 'disabled', epoch: before.epoch + 1, invitation: null });
    return changeBy(actor, person, 'disabled', nowMs);
  });
}
