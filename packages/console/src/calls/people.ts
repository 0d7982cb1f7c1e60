/** The calls of the page about people. */
import type { Person } from '@writecheck/api';
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
