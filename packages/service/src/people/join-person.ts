/** The change by which somebody invited becomes active: with a passkey, or through the identity provider. */
import { isoTime } from '@writecheck/contract';
import type { FoundPerson, NewCredential, PersonChange, StoredPerson } from '../store/port/people.ts';

export type Joining =
  | { readonly signIn: 'passkey'; readonly credential: NewCredential; readonly rpId: string }
  | { readonly signIn: 'oidc'; readonly issuer: string; readonly subject: string };

/** The log keeps the public key and the site it is for, so that an auditor can verify what it signs. */
export function joining(found: FoundPerson, how: Joining, nowMs: number): PersonChange {
  const { lastSeenAtMs: _seen, hasPasskey: _has, ...person } = found;
  const invitedBy = person.invitation?.by ?? null;
  const isPasskey = how.signIn === 'passkey';
  const entry: PersonChange['entries'][number] = {
    kind: 'person',
    event: 'joined',
    person: person.id,
    workspace: person.workspace,
    timestamp: isoTime(nowMs),
    by: { kind: 'person', id: person.id },
    details: {
      signIn: how.signIn,
      invitedBy,
      ...(isPasskey && { credential: loggedCredential(how.credential, how.rpId) }),
    },
  };
  const next: StoredPerson = {
    ...person,
    version: person.version + 1,
    state: 'active',
    // Whoever joined through the provider may still register a passkey with the invitation.
    invitation: isPasskey ? null : person.invitation,
    oidc: isPasskey ? person.oidc : { issuer: how.issuer, subject: how.subject },
  };
  const change = { person: next, entries: [entry], seenAtMs: nowMs };
  return isPasskey ? { ...change, credential: { ...how.credential, invitedBy } } : change;
}

function loggedCredential({ id, publicKey, algorithm }: NewCredential, rpId: string): object {
  return { id, publicKey, algorithm, rpId };
}
