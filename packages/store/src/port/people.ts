/**
 * People as the store sees them: one row per person, written by compare-and-swap together with the log entries about
 * them. The code above the store decides what may happen to a person, once for both stores.
 */
import { type ConsumedAttestation, type PersonState, REVIEW_DESK, type Role } from '@writecheck/contract';
import type { PersonEntry, PersonEvent } from '@writecheck/ledger/log';
import type { Acting } from './acting.ts';
import type { WorkspaceStanding } from './keys.ts';

/** The person or key who invited somebody. */
export type Inviter = PersonEntry['by'];

/** A past change of a person, as in its log entry. */
interface PastChange {
  readonly event: PersonEvent;
  readonly at: string;
  readonly by: Inviter;
}

/** The maximum number of changes that a person's row keeps; the log has all of them. */
export const PAST_CHANGES_MAX = 20;

export interface StoredInvitation {
  /** SHA-256 of the token, 64 lower-case hex digits. The token itself never reaches the store. */
  readonly hash: string;
  readonly expiresAtMs: number;
  readonly by: Inviter;
}

export interface StoredPerson {
  readonly workspace: string;
  /** `per_...` */
  readonly id: string;
  /** Starts at 1; every change adds one. */
  readonly version: number;
  readonly name: string;
  /** The address as written; unique in its workspace by `emailKey`. */
  readonly email: string;
  readonly roles: readonly Role[];
  readonly groups: readonly string[];
  readonly state: PersonState;
  /**
   * Starts at 1; every disabling and every reset adds one. A session, passkey, verdict or approval belongs to the
   * epoch in which it was made, and does not count in a later one.
   */
  readonly epoch: number;
  /** The one live invitation; null if it was spent or ended. The caller judges whether it has expired. */
  readonly invitation: StoredInvitation | null;
  /** How the identity provider names them, from their first sign-in with it. */
  readonly oidc: { readonly issuer: string; readonly subject: string } | null;
  readonly createdAtMs: number;
  /** The newest changes, oldest first. */
  readonly history: readonly PastChange[];
}

/** A person as read: includes members that change without a new version. */
export interface FoundPerson extends StoredPerson {
  /** Null until the first sign-in. */
  readonly lastSeenAtMs: number | null;
  readonly hasPasskey: boolean;
}

export interface NewCredential {
  /** The WebAuthn credential id, base64url. Unique over all workspaces. */
  readonly id: string;
  /** The COSE key, base64url. */
  readonly publicKey: string;
  /** The COSE algorithm: -7 (ES256) or -8 (EdDSA). */
  readonly algorithm: number;
  readonly signCount: number;
  readonly registeredAtMs: number;
}

export interface StoredCredential extends NewCredential {
  readonly workspace: string;
  readonly personId: string;
  /** The epoch in which it was registered; those of earlier epochs are removed. */
  readonly epoch: number;
  readonly invitedBy: Inviter | null;
}

export interface PersonChange {
  /** The row after the change. Its version is one more than that of the row it was made from; 1 for a new person. */
  readonly person: StoredPerson;
  /** The actor, checked in the transaction; undefined if the person joins or signs in. */
  readonly acting?: Acting;
  /** Its log entries, at least one. */
  readonly entries: readonly PersonEntry[];
  /** Registers a passkey in the same commit. */
  readonly credential?: NewCredential & { readonly invitedBy: Inviter | null };
  /** Set when they sign in for the first time in this epoch. */
  readonly seenAtMs?: number;
}

export type ChangePersonOutcome =
  | { readonly kind: 'changed' }
  /** The row now has another version: read again and decide again. */
  | { readonly kind: 'conflict' }
  /** Another person of the workspace has this address. */
  | { readonly kind: 'email_taken' }
  /** Another person of the workspace has this identity at the provider. */
  | { readonly kind: 'identity_taken' }
  /** The credential is registered already. */
  | { readonly kind: 'credential_taken' }
  | { readonly kind: 'too_many_people' }
  /** If disabled, they would hold the last owner key that never expires. */
  | { readonly kind: 'last_owner_key' };

/** The maximum number of people in a workspace, disabled ones included. */
export const PEOPLE_MAX = 1_000;

export interface NewSession {
  /** SHA-256 of the whole token, 64 lower-case hex digits. */
  readonly hash: string;
  readonly workspace: string;
  readonly personId: string;
  /** That of the person when they signed in. */
  readonly epoch: number;
  readonly signIn: 'passkey' | 'oidc';
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export interface FoundSession extends NewSession {
  readonly lastUsedAtMs: number;
  /** When it was ended by signing out. */
  readonly endedAtMs: number | null;
  readonly person: FoundPerson;
  /** Of the workspace. */
  readonly standing: WorkspaceStanding;
}

/** Something that counts once: a challenge, the state of a sign-in, a code. */
export interface OneTimeValue {
  readonly kind: string;
  /** The key by which it is found; unique within its kind. */
  readonly key: string;
  /** Anything that its taker needs, as text. */
  readonly payload: string;
  readonly expiresAtMs: number;
}

/** The form of an address under which it is unique: ASCII letters in lower case, everything else unchanged. */
export function emailKey(email: string): string {
  return email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * The name under which a person's standing is revoked when an epoch ends. An allow that depends on their approval
 * lists it in `restsOn`, so its commit and its redemption detect a disabling or reset under any race.
 */
export function standingName({ id, epoch }: Pick<StoredPerson, 'id' | 'epoch'>): ConsumedAttestation {
  return { source: REVIEW_DESK, jti: `${id}:${epoch}` };
}

/** An owner key has one epoch, which its revocation ends; then an approval that it gave no longer counts. */
export const KEY_EPOCH = 0;
