/** A person as responses show them. */
import type { Person, SignedIn as ShownSignIn } from '@writecheck/api';
import type { FoundPerson } from '@writecheck/store/port/people';
import type { SignedIn } from './join.ts';

export function shownPerson(person: FoundPerson): Person {
  const { id, name, email, roles, groups, state, createdAtMs, lastSeenAtMs } = person;
  const { hasPasskey, oidc } = person;
  const signIn = (['passkey', 'oidc'] as const).filter((way) =>
    way === 'oidc' ? oidc !== null : hasPasskey,
  );
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
export function shownSignedIn({ session, person }: SignedIn): ShownSignIn {
  const { token, expiresAtMs } = session;
  return {
    session: { token, expiresAt: new Date(expiresAtMs).toISOString() },
    person: shownPerson(person),
  };
}
