/** Workspaces and their keys. */

import type { ServiceRole } from '@writecheck/contract';
import type { ChangeAuthor } from '@writecheck/ledger/log';
import type { Acting } from './acting.ts';

export type KeyKind = 'development' | 'live' | 'owner' | 'service';
export type CheckingKeyKind = Exclude<KeyKind, 'owner' | 'service'>;

/** A suspended one does nothing and loses nothing; of a deleted one, the id and the entries of the log stay. */
export type WorkspaceState = 'active' | 'suspended' | 'deleted';

export interface Workspace {
  readonly id: string;
  readonly name: string;
  readonly createdAtMs: number;
  readonly state: WorkspaceState;
  /** Whether a stranger created it, through sign-up. */
  readonly signedUp: boolean;
  /** An operator's grant of live keys, which the hosted plan requires. */
  readonly liveGranted: boolean;
}

/** An active one; unless it says so, nobody signed up. */
export type NewWorkspace = Omit<Workspace, 'state' | 'signedUp'> & Partial<Pick<Workspace, 'signedUp'>>;

/** What each request of a workspace is judged by, besides its key or session. */
export interface WorkspaceStanding {
  readonly state: WorkspaceState;
  /** It signed itself up and no operator has granted it live keys: on the hosted plan it has ceilings. */
  readonly isSelfServe: boolean;
}

/** A name that the workspace got, at the time of the log's entry. */
export interface Rename {
  readonly name: string;
  readonly atMs: number;
  readonly by: Owner;
}

/** The maximum number of renames that are kept; the log has all of them, without the names. */
export const RENAMES_MAX = 20;

export interface NewKey {
  /** `key_...`; the caller makes ids, secrets and times. */
  readonly id: string;
  readonly kind: KeyKind;
  readonly name: string;
  /** SHA-256 of the whole secret, 64 lower-case hex digits. The secret itself never reaches the store. */
  readonly hash: string;
  /** The prefix and the last 4 characters. */
  readonly hint: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** Null if every system (or workflow) is allowed. */
  readonly allowedSystems: readonly string[] | null;
  readonly allowedWorkflows: readonly string[] | null;
  /** The roles of a service key; null for every other kind. */
  readonly roles?: readonly ServiceRole[] | null;
  /** The id of the person who holds it. */
  readonly heldBy?: string | null;
  /** The id of the person who made it. */
  readonly madeBy?: string | null;
}

export interface StoredKey extends NewKey {
  readonly workspace: string;
  readonly lastUsedAtMs: number | null;
  readonly revokedAtMs: number | null;
  /** Set once a rotation has replaced it; until `expiresAtMs` it is then in its grace period. */
  readonly rotatedAtMs: number | null;
  /** The id of the key that this one replaced. */
  readonly rotatedFrom: string | null;
  /** The id of the first of the keys that led to it by rotation; its own if it replaced none. */
  readonly lineage: string;
  readonly roles: readonly ServiceRole[] | null;
  /** Null if unknown; a replacement keeps it. */
  readonly heldBy: string | null;
  /** The key is refused while this is true. */
  readonly isHolderDisabled: boolean;
  /** Null if an owner key or the command line made it; a person who rotates a key made its replacement. */
  readonly madeBy: string | null;
  /** Null if it is not revoked, or if the command line revoked it. */
  readonly revokedBy: Owner | null;
}

/** A key as it is authenticated. */
export interface FoundKey extends StoredKey {
  readonly standing: WorkspaceStanding;
}

/** The person or key who revoked a key or renamed the workspace. */
export type Owner = ChangeAuthor<'person' | 'owner_key'>;

/** The maximum number of unrevoked keys in a workspace (expired ones count until they are revoked). */
export const UNREVOKED_KEYS_MAX = 100;

export type CreateKeyOutcome =
  | { readonly kind: 'created'; readonly key: StoredKey }
  | { readonly kind: 'too_many_keys' }
  | { readonly kind: 'no_such_workspace' };

export type RevokeKeyOutcome =
  /** Revoking twice changes nothing: the first revocation stays. */
  | { readonly kind: 'revoked' }
  | { readonly kind: 'not_found' }
  /** It is the last owner key that is neither revoked nor due to expire. */
  | { readonly kind: 'last_owner_key' };

export interface Rotation {
  readonly workspace: string;
  readonly keyId: string;
  readonly nowMs: number;
  /** The old key's new expiry; an earlier expiry is kept. */
  readonly oldExpiresAtMs: number;
  /** The members that are new; kind, name, limits and expiry come from the old key. */
  readonly replacement: Pick<NewKey, 'id' | 'hash' | 'hint' | 'madeBy'>;
  readonly by: Acting;
}

export type RotateKeyOutcome =
  | { readonly kind: 'rotated'; readonly key: StoredKey }
  /** Unknown, or of another workspace. */
  | { readonly kind: 'not_found' }
  /** INVARIANT: a key is rotated at most once, so no replacement inherits an expiry that is only a grace period. */
  | { readonly kind: 'not_active'; readonly because: 'rotated' | 'expired' | 'revoked' }
  | { readonly kind: 'too_many_keys' };
