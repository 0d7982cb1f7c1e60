/** The calls of the page about people. */
import type { PersonState, Role } from '@writecheck/contract';
import { call, type Outcome } from '../../api.ts';

/** What each role does, for the owner who gives it. */
export const ROLE_WORDS: { readonly [role in Role]: string } = {
  owner: 'manages keys, policies and people; reviews',
  author: 'edits policies; loosening needs an owner',
  reviewer: 'approves and rejects writes',
  auditor: 'reads everything, changes nothing',
};

export interface ListedPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly roles: readonly Role[];
  readonly groups: readonly string[];
  readonly state: PersonState;
  readonly signIn: readonly string[];
  readonly createdAt: string;
  readonly lastSeenAt: string | null;
}

/** What happened to a person, and who did it. */
export interface PersonChange {
  readonly personId: string;
  readonly event: 'invited' | 'joined' | 'changed' | 'reset' | 'disabled';
  readonly at: string;
  readonly by: { readonly kind: 'person' | 'owner_key'; readonly id: string };
}

export interface Invitation {
  readonly url: string;
  readonly expiresAt: string;
}

export interface PersonWish {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly groups: readonly string[];
}

export function listPeople(
  signal: AbortSignal,
): Promise<
  Outcome<{ readonly people: readonly ListedPerson[]; readonly changes?: readonly PersonChange[] }>
> {
  return call('GET', '/v1/people', { signal, has: { people: 'array' } });
}

export function invite(
  wish: PersonWish & { readonly email: string },
): Promise<Outcome<{ readonly person: ListedPerson; readonly invitation: Invitation }>> {
  return call('POST', '/v1/people', { json: wish, has: { person: 'object', invitation: 'object' } });
}

export function inviteAgain(id: string): Promise<Outcome<{ readonly invitation: Invitation }>> {
  return call('POST', `${pathOf(id)}/invitation`, { has: { invitation: 'object' } });
}

export function changePerson(id: string, wish: PersonWish): Promise<Outcome<unknown>> {
  return call('PATCH', pathOf(id), { json: wish, has: { person: 'object' } });
}

export function disablePerson(id: string): Promise<Outcome<null>> {
  return call('DELETE', pathOf(id));
}

function pathOf(id: string): string {
  return `/v1/people/${encodeURIComponent(id)}`;
}
