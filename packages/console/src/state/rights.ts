/** What the signed-in user may do, so that pages offer nothing that the service refuses. The service decides. */
import { mayUse, type Ruled } from '@writecheck/api/roles';
import { type Person, useSession } from './session.ts';

/** An owner key, which belongs to no person, has every right. */
export function hasRight(person: Person | undefined, operation: Ruled): boolean {
  return person === undefined || mayUse(operation, person.roles);
}

export function useRight(operation: Ruled): boolean {
  const session = useSession();
  return session !== null && hasRight(session.person, operation);
}
