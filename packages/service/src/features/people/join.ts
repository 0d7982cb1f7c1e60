/** Lets an invited person join, and starts a session for anybody whom a passkey or the identity provider identified. */
import type { FoundPerson, NewCredential, NewSession, StoredPerson } from '@writecheck/store/port/people';
import { isRefusal, type Refusal, refuse } from '../../exchange/refusal.ts';
import { findPerson, nextVersion, untilCommitted } from './commit-person.ts';
import { findInvited } from './invitation.ts';
import type { PeopleParts } from './people-parts.ts';
import { personEntry } from './person-entries.ts';
import type { MadeSession } from './sessions.ts';

export interface SignedIn {
  readonly kind: 'signed_in';
  readonly session: MadeSession;
  readonly person: FoundPerson;
}

const DISABLED_MEANWHILE = refuse('key_revoked', 'the person was disabled or reset; ask an owner');

/** Spends the invitation, once: of several callers one joins, the others are refused with `not_found`. */
export async function joinWithPasskey(
  parts: PeopleParts,
  token: string,
  credential: NewCredential,
  /** The site that the passkey is for. */
  rpId: string,
  nowMs: number,
): Promise<SignedIn | Refusal> {
  const joined = await untilCommitted(parts, async () => {
    const before = await findInvited(parts, token, nowMs);
    if (isRefusal(before)) return before;
    const invitedBy = before.invitation?.by ?? null;
    const { id, publicKey, algorithm } = credential;
    const details = { signIn: 'passkey', invitedBy, credential: { id, publicKey, algorithm, rpId } };
    const change = joining(before, {}, details, nowMs);
    return { ...change, credential: { ...credential, invitedBy } };
  });
  return isRefusal(joined) ? joined : signIn(parts, joined, 'passkey', nowMs);
}

/** The first sign-in of an invited person with an identity provider, which has verified their address. */
export async function joinWithIdentity(
  parts: PeopleParts,
  invited: Pick<FoundPerson, 'workspace' | 'id'>,
  oidc: NonNullable<StoredPerson['oidc']>,
  nowMs: number,
): Promise<SignedIn | Refusal> {
  const joined = await untilCommitted(parts, async () => {
    const before = await findPerson(parts, invited.workspace, invited.id);
    if (before === null || before.state !== 'invited') {
      return refuse('not_a_member', 'you are not invited to this workspace; ask an owner of it');
    }
    const details = { signIn: 'oidc', invitedBy: before.invitation?.by ?? null };
    return joining(before, { oidc }, details, nowMs);
  });
  return isRefusal(joined) ? joined : signIn(parts, joined, 'oidc', nowMs);
}

function joining(
  before: FoundPerson,
  members: Partial<StoredPerson>,
  details: { readonly [name: string]: unknown },
  nowMs: number,
) {
  const person = nextVersion(before, { ...members, state: 'active', invitation: null });
  const by = { kind: 'person', id: person.id } as const;
  return { person, entries: [personEntry(person, 'joined', by, nowMs, details)], seenAtMs: nowMs };
}

/** A session for somebody who has shown who they are; refused if they are not active any more. */
export async function signIn(
  { sessions }: Pick<PeopleParts, 'sessions'>,
  person: FoundPerson,
  how: NewSession['signIn'],
  nowMs: number,
): Promise<SignedIn | Refusal> {
  const session = await sessions.make(person, how, nowMs);
  if (session === null) return DISABLED_MEANWHILE;
  const lastSeenAtMs = Math.max(person.lastSeenAtMs ?? 0, nowMs);
  return { kind: 'signed_in', session, person: { ...person, lastSeenAtMs } };
}
