/** A person as responses show them. */
import type { FoundPerson } from '../store/port/people.ts';
import type { SignedIn } from './join.ts';

export function shownPerson(person: FoundPerson): object {
  const { id, name, email, roles, groups, state, createdAtMs, lastSeenAtMs } = person;
  const signIn = [...(person.hasPasskey ? ['passkey'] : []), ...(person.oidc === null ? [] : ['oidc'])];
  return {
    id,
    name,
    email,
    roles,
    groups,
    state,
    signIn,
    createdAt: new Date(createdAtMs).toISOString(),
    lastSeenAt: lastSeenAtMs === null ? null : new Date(lastSeenAtMs).toISOString(),
  };
}

/** The response to every kind of sign-in. */
export function shownSignedIn({ session, person }: SignedIn): object {
  const { token, expiresAtMs } = session;
  return {
    session: { token, expiresAt: new Date(expiresAtMs).toISOString() },
    person: shownPerson(person),
  };
}
