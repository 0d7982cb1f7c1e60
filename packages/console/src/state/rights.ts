/** What the signed-in user may do, so that pages offer nothing that the service refuses. The service decides. */
import type { Role } from '@writecheck/contract';
import { type Person, useSession } from './session.ts';

export type Right = 'read_settings' | 'manage' | 'write_policies';

const ROLES: { readonly [right in Right]: readonly Role[] } = {
  read_settings: ['owner', 'auditor'],
  manage: ['owner'],
  write_policies: ['owner', 'author'],
};

/** An owner key, which belongs to no person, has every right. */
export function hasRight(person: Person | undefined, right: Right): boolean {
  return person === undefined || person.roles.some((role) => ROLES[right].includes(role));
}

export function useRight(right: Right): boolean {
  const session = useSession();
  return session !== null && hasRight(session.person, right);
}
