/** What both databases store of people, passkeys and sessions in the same way. */
import type { Role } from '@writecheck/contract';
import {
  emailKey,
  type FoundPerson,
  type FoundSession,
  type Inviter,
  type NewCredential,
  type PastChange,
  type PersonChange,
  type StoredCredential,
  type StoredPerson,
} from '../port/people.ts';

export const TABLES = `
CREATE TABLE writecheck.person (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workspace text NOT NULL REFERENCES writecheck.workspace (id),
  id text COLLATE "C" NOT NULL UNIQUE,
  version bigint NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  email_key text COLLATE "C" NOT NULL,
  roles text NOT NULL,
  group_names text NOT NULL,
  state text NOT NULL CHECK (state IN ('invited', 'active', 'disabled')),
  epoch bigint NOT NULL,
  invitation_hash text UNIQUE,
  invitation_expires_ms bigint,
  invitation_by text,
  oidc_issuer text,
  oidc_subject text COLLATE "C",
  created_ms bigint NOT NULL,
  last_seen_ms bigint,
  history text,
  UNIQUE (workspace, email_key),
  UNIQUE (workspace, oidc_issuer, oidc_subject)
);

CREATE TABLE writecheck.credential (
  id text COLLATE "C" PRIMARY KEY,
  workspace text NOT NULL,
  person text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  public_key text NOT NULL,
  algorithm integer NOT NULL,
  sign_count bigint NOT NULL,
  transports text NOT NULL,
  registered_ms bigint NOT NULL,
  invited_by text
) WITHOUT ROWID;
CREATE INDEX credential_by_person ON writecheck.credential (person);
`;

/** `last_seen_ms` is not among them: it changes without a new version. */
export interface PersonRow {
  readonly workspace: string;
  readonly id: string;
  readonly version: number;
  readonly name: string;
  readonly email: string;
  readonly email_key: string;
  readonly roles: string;
  readonly group_names: string;
  readonly state: StoredPerson['state'];
  readonly epoch: number;
  readonly invitation_hash: string | null;
  readonly invitation_expires_ms: number | null;
  readonly invitation_by: string | null;
  readonly oidc_issuer: string | null;
  readonly oidc_subject: string | null;
  readonly created_ms: number;
  /** Null if every change was made by versions that kept none. */
  readonly history: string | null;
}

export const PERSON_COLUMNS = [
  'workspace',
  'id',
  'version',
  'name',
  'email',
  'email_key',
  'roles',
  'group_names',
  'state',
  'epoch',
  'invitation_hash',
  'invitation_expires_ms',
  'invitation_by',
  'oidc_issuer',
  'oidc_subject',
  'created_ms',
  'history',
] as readonly (keyof PersonRow)[];

export type FoundPersonRow = PersonRow & {
  readonly last_seen_ms: number | null;
  readonly has_passkey: number | boolean;
};

export function personRow(person: StoredPerson): PersonRow {
  const { invitation, oidc } = person;
  return {
    workspace: person.workspace,
    id: person.id,
    version: person.version,
    name: person.name,
    email: person.email,
    email_key: emailKey(person.email),
    roles: JSON.stringify(person.roles),
    group_names: JSON.stringify(person.groups),
    state: person.state,
    epoch: person.epoch,
    invitation_hash: invitation?.hash ?? null,
    invitation_expires_ms: invitation?.expiresAtMs ?? null,
    invitation_by: invitation === null ? null : JSON.stringify(invitation.by),
    oidc_issuer: oidc?.issuer ?? null,
    oidc_subject: oidc?.subject ?? null,
    created_ms: person.createdAtMs,
    history: JSON.stringify(person.history),
  };
}

export function foundPerson(row: FoundPersonRow): FoundPerson {
  return {
    workspace: row.workspace,
    id: row.id,
    version: row.version,
    name: row.name,
    email: row.email,
    roles: JSON.parse(row.roles) as readonly Role[],
    groups: JSON.parse(row.group_names) as readonly string[],
    state: row.state,
    epoch: row.epoch,
    invitation:
      row.invitation_hash === null
        ? null
        : {
            hash: row.invitation_hash,
            expiresAtMs: row.invitation_expires_ms!,
            by: JSON.parse(row.invitation_by!) as Inviter,
          },
    oidc: row.oidc_issuer === null ? null : { issuer: row.oidc_issuer, subject: row.oidc_subject! },
    createdAtMs: row.created_ms,
    history: row.history === null ? [] : (JSON.parse(row.history) as readonly PastChange[]),
    lastSeenAtMs: row.last_seen_ms,
    hasPasskey: Boolean(row.has_passkey),
  };
}

export interface CredentialRow {
  readonly id: string;
  readonly workspace: string;
  readonly person: string;
  readonly epoch: number;
  readonly public_key: string;
  readonly algorithm: number;
  readonly sign_count: number;
  readonly transports: string;
  readonly registered_ms: number;
  readonly invited_by: string | null;
}

export function credentialRow(
  { workspace, id, epoch }: StoredPerson,
  credential: NonNullable<PersonChange['credential']>,
): CredentialRow {
  return {
    id: credential.id,
    workspace,
    person: id,
    epoch,
    public_key: credential.publicKey,
    algorithm: credential.algorithm,
    sign_count: credential.signCount,
    transports: JSON.stringify(credential.transports),
    registered_ms: credential.registeredAtMs,
    invited_by: credential.invitedBy === null ? null : JSON.stringify(credential.invitedBy),
  };
}

export function storedCredential(row: CredentialRow): StoredCredential {
  return {
    id: row.id,
    workspace: row.workspace,
    personId: row.person,
    epoch: row.epoch,
    publicKey: row.public_key,
    algorithm: row.algorithm,
    signCount: row.sign_count,
    transports: JSON.parse(row.transports) as NewCredential['transports'],
    registeredAtMs: row.registered_ms,
    invitedBy: row.invited_by === null ? null : (JSON.parse(row.invited_by) as Inviter),
  };
}

export interface SessionRow {
  readonly hash: string;
  readonly workspace: string;
  readonly person: string;
  readonly epoch: number;
  readonly sign_in: FoundSession['signIn'];
  readonly created_ms: number;
  readonly expires_ms: number;
  readonly last_used_ms: number;
  readonly ended_ms: number | null;
}

export function foundSession(row: SessionRow, person: FoundPerson): FoundSession {
  return {
    hash: row.hash,
    workspace: row.workspace,
    personId: row.person,
    epoch: row.epoch,
    signIn: row.sign_in,
    createdAtMs: row.created_ms,
    expiresAtMs: row.expires_ms,
    lastUsedAtMs: row.last_used_ms,
    endedAtMs: row.ended_ms,
    person,
  };
}

/** How long an expired session is still found, so that its holder learns that its time is over. */
export const SESSION_KEPT_MS = 24 * 3_600_000;
