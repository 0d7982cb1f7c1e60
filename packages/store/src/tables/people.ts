/** People and their passkeys; every change is in the log. */
import { personEntries } from '../commit/new-entries.ts';
import {
  type ChangePersonOutcome,
  emailKey,
  type FoundPerson,
  type Inviter,
  PEOPLE_MAX,
  type PersonChange,
  type StoredCredential,
  type StoredPerson,
  standingName,
} from '../port/people.ts';
import { begin } from './acting.ts';
import { charge } from './charge.ts';
import { revoke } from './evidence.ts';
import { lastingOwners } from './keys.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { json, mapping } from './mapping.ts';
import {
  type Append,
  append,
  assignments,
  insertion,
  list,
  noteChange,
  part,
  type Read,
  sql,
  text,
  Undone,
  type Write,
} from './operation.ts';

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
  registered_ms bigint NOT NULL,
  invited_by text
) WITHOUT ROWID;
CREATE INDEX credential_by_person ON writecheck.credential (person);
`;

const PERSON = mapping<Omit<StoredPerson, 'invitation' | 'oidc'>>({
  workspace: 'workspace',
  id: 'id',
  version: 'version',
  name: 'name',
  email: 'email',
  roles: json('roles'),
  groups: json('group_names'),
  state: 'state',
  epoch: 'epoch',
  createdAtMs: 'created_ms',
  history: json('history'),
});

/** Members that are not read as stored. */
export interface FoundPersonRow {
  readonly id: string;
  readonly invitation_hash: string | null;
  readonly invitation_expires_ms: number | null;
  readonly invitation_by: string | null;
  readonly oidc_issuer: string | null;
  readonly oidc_subject: string | null;
  readonly last_seen_ms: number | null;
  readonly has_passkey: number | boolean;
}

/** `last_seen_ms` is not in it: it changes without a new version. */
function personRow(person: StoredPerson) {
  const { invitation, oidc } = person;
  return {
    ...PERSON.rowOf(person),
    email_key: emailKey(person.email),
    invitation_hash: invitation?.hash ?? null,
    invitation_expires_ms: invitation?.expiresAtMs ?? null,
    invitation_by: invitation === null ? null : JSON.stringify(invitation.by),
    oidc_issuer: oidc?.issuer ?? null,
    oidc_subject: oidc?.subject ?? null,
  };
}

export function foundPerson(row: FoundPersonRow): FoundPerson {
  const { invitation_hash: hash, oidc_issuer: issuer } = row;
  const person = PERSON.storedOf(row);
  return {
    ...person,
    // Null if every change was made by versions that kept none.
    history: person.history ?? [],
    invitation:
      hash === null
        ? null
        : {
            hash,
            expiresAtMs: row.invitation_expires_ms!,
            by: JSON.parse(row.invitation_by!) as Inviter,
          },
    oidc: issuer === null ? null : { issuer, subject: row.oidc_subject! },
    lastSeenAtMs: row.last_seen_ms,
    hasPasskey: Boolean(row.has_passkey),
  };
}

const CREDENTIAL = mapping<StoredCredential>({
  id: 'id',
  workspace: 'workspace',
  personId: 'person',
  epoch: 'epoch',
  publicKey: 'public_key',
  algorithm: 'algorithm',
  signCount: 'sign_count',
  registeredAtMs: 'registered_ms',
  invitedBy: json('invited_by'),
});

/** The columns to read of a person, with the table as `p`. */
export const FOUND = text(`p.*, EXISTS (SELECT 1 FROM writecheck.credential c
  WHERE c.person = p.id AND c.epoch = p.epoch) AS has_passkey`);

function* peopleWhere(condition: ReturnType<typeof part>): Read<readonly FoundPerson[]> {
  const rows = yield* sql<FoundPersonRow>`SELECT ${FOUND} FROM writecheck.person p WHERE ${condition}`;
  return rows.map(foundPerson);
}

export function* findPeople(workspace: string, ids: readonly string[]): Read<readonly FoundPerson[]> {
  const found = yield* peopleWhere(part`workspace = ${workspace} AND id IN (${list(ids)})`);
  const byId = new Map(found.map((person) => [person.id, person]));
  return ids.map((id) => byId.get(id)).filter((person) => person !== undefined);
}

/** All people of a workspace, oldest first, including disabled ones. */
export function* listPeople(workspace: string): Read<readonly FoundPerson[]> {
  return yield* peopleWhere(part`workspace = ${workspace} ORDER BY number`);
}

export function* findPersonByEmail(workspace: string, email: string): Read<FoundPerson | null> {
  const [person] = yield* peopleWhere(part`workspace = ${workspace} AND email_key = ${emailKey(email)}`);
  return person ?? null;
}

export function* findPersonByInvitation(hash: string): Read<FoundPerson | null> {
  const [person] = yield* peopleWhere(part`invitation_hash = ${hash}`);
  return person ?? null;
}

export function* findPersonByIdentity(
  workspace: string,
  issuer: string,
  subject: string,
): Read<FoundPerson | null> {
  const [person] = yield* peopleWhere(
    part`workspace = ${workspace} AND oidc_issuer = ${issuer} AND oidc_subject = ${subject}`,
  );
  return person ?? null;
}

export function* findCredential(id: string): Read<StoredCredential | null> {
  const [row] = yield* sql<object>`SELECT * FROM writecheck.credential WHERE id = ${id}`;
  return row === undefined ? null : CREDENTIAL.storedOf(row);
}

export function* listCredentials(workspace: string, personId: string): Read<readonly StoredCredential[]> {
  const rows = yield* sql<object>`SELECT * FROM writecheck.credential
    WHERE person = ${personId} AND workspace = ${workspace} ORDER BY registered_ms, id`;
  return rows.map(CREDENTIAL.storedOf);
}

/** Keeps the highest counter that the authenticator reported. */
export function* noteSignCount(id: string, signCount: number): Write<void> {
  yield* sql`UPDATE writecheck.credential SET sign_count = ${signCount}
    WHERE id = ${id} AND sign_count < ${signCount}`;
}

/**
 * Makes the change with its log entries in one transaction, or nothing. If the epoch grows, the same transaction
 * removes the person's passkeys and revokes `standingName` the epoch before, so no allow commits on its approvals.
 */
export function* changePerson(change: PersonChange): Append<ChangePersonOutcome> {
  const { person, entries, credential, seenAtMs, acting } = change;
  const { workspace, id, epoch } = person;
  const row = personRow(person);
  // Other changes of people in this workspace wait here, so that the lookups below stay valid.
  const madeAtMs = Date.parse(entries.at(-1)!.timestamp);
  if (acting !== undefined) yield* begin(workspace, acting, madeAtMs, person.state === 'disabled');
  else {
    yield* lockWorkspace(workspace);
    yield* charge(workspace, madeAtMs);
  }
  const [old] = yield* sql<{ readonly version: number; readonly epoch: number }>`SELECT version, epoch
    FROM writecheck.person WHERE id = ${id} AND workspace = ${workspace} FOR NO KEY UPDATE`;
  // INVARIANT: a row of another version leaves nothing changed.
  if ((old?.version ?? 0) !== person.version - 1) throw new Undone({ kind: 'conflict' });
  yield* requireUnique(person);
  if (old === undefined) {
    yield* requireRoom(workspace);
    const made =
      yield* sql`INSERT INTO writecheck.person ${insertion(row)} ON CONFLICT (id) DO NOTHING RETURNING 1`;
    if (made.length !== 1) throw new Undone({ kind: 'conflict' });
  } else {
    yield* sql`UPDATE writecheck.person SET ${assignments(row)} WHERE id = ${id}`;
    if (epoch > old.epoch) {
      yield* sql`DELETE FROM writecheck.credential WHERE person = ${id} AND epoch < ${epoch}`;
      yield* revoke(workspace, standingName({ id, epoch: old.epoch }), madeAtMs);
    }
    // INVARIANT: disabling somebody refuses the keys they hold, and must not lock everybody out.
    const owners = person.state === 'disabled' ? yield* lastingOwners(workspace) : [];
    const isLockedOut = owners.every(({ isHolderDisabled }) => isHolderDisabled);
    if (isLockedOut && owners.some(({ heldBy }) => heldBy === id))
      throw new Undone({ kind: 'last_owner_key' });
  }
  if (credential !== undefined) {
    const registered = CREDENTIAL.rowOf({ ...credential, workspace, personId: id, epoch });
    const added = yield* sql`INSERT INTO writecheck.credential ${insertion(registered)}
      ON CONFLICT DO NOTHING RETURNING 1`;
    if (added.length !== 1) throw new Undone({ kind: 'credential_taken' });
  }
  if (seenAtMs !== undefined) yield* noteSeen(id, seenAtMs);
  yield* append((log) => personEntries(log, change));
  yield* noteChange('person', workspace, id);
  return { kind: 'changed' };
}

/** A time earlier than the stored one is ignored. */
export function* noteSeen(id: string, atMs: number): Write<void> {
  yield* sql`UPDATE writecheck.person SET last_seen_ms = ${atMs}
    WHERE id = ${id} AND coalesce(last_seen_ms, 0) < ${atMs}`;
}

function* requireUnique({ workspace, id, email, oidc }: PersonChange['person']): Read<void> {
  const sameEmail = yield* sql`SELECT 1 FROM writecheck.person
    WHERE workspace = ${workspace} AND email_key = ${emailKey(email)} AND id <> ${id}`;
  if (sameEmail.length > 0) throw new Undone({ kind: 'email_taken' });
  if (oidc === null) return;
  const sameIdentity = yield* sql`SELECT 1 FROM writecheck.person WHERE workspace = ${workspace}
    AND oidc_issuer = ${oidc.issuer} AND oidc_subject = ${oidc.subject} AND id <> ${id}`;
  if (sameIdentity.length > 0) throw new Undone({ kind: 'identity_taken' });
}

function* requireRoom(workspace: string): Read<void> {
  const [people] = yield* sql<{ readonly count: number }>`SELECT count(*) AS count FROM writecheck.person
    WHERE workspace = ${workspace}`;
  if (people!.count >= PEOPLE_MAX) throw new Undone({ kind: 'too_many_people' });
}
