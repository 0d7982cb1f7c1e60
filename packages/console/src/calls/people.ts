/** The calls of the page about people. */
import type { Person } from '@writecheck/api';
import type { Sent } from '@writecheck/api/calls';
import type { Role } from '@writecheck/contract';
import { call } from '../api.ts';

/** What each role does, for the owner who gives it. */
export const ROLE_WORDS: { readonly [role in Role]: string } = {
  owner: 'manages keys, policies and people; reviews',
  author: 'edits policies; loosening needs an owner',
  reviewer: 'approves and rejects writes',
  auditor: 'reads everything, changes nothing',
};

/** What the form edits. */
export type PersonWish = Pick<Person, 'name' | 'roles' | 'groups'>;

export function listPeople(signal: AbortSignal) {
  return call('GET /v1/people', { signal });
}

export function invite(wish: Sent<'POST /v1/people'>) {
  return call('POST /v1/people', { json: wish });
}

export function inviteAgain(id: string) {
  return call('POST /v1/people/{id}/invitation', { in: { id } });
}

export function changePerson(id: string, wish: Sent<'PATCH /v1/people/{id}'>) {
  return call('PATCH /v1/people/{id}', { in: { id }, json: wish });
}

/** Resolves with the keys they made; null if none of them works. */
export function disablePerson(id: string) {
  return call('DELETE /v1/people/{id}', { in: { id } });
}
