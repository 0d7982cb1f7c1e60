/** Lookups of people, passkeys and sessions in SQLite, on a connection that cannot write. */
import {
  type CredentialRow,
  type FoundPersonRow,
  foundPerson,
  foundSession,
  type SessionRow,
  storedCredential,
} from '../people-rows.ts';
import { emailKey, type FoundPerson, type FoundSession, type StoredCredential } from '../port/people.ts';
import type { Db } from './open-database.ts';

const FROM = `SELECT p.*, EXISTS (SELECT 1 FROM credential c WHERE c.person = p.id AND c.epoch = p.epoch) AS has_passkey
  FROM person p WHERE`;

export function preparePeopleReads(db: Db) {
  const byId = db.prepare(`${FROM} id = ? AND workspace = ?`);
  const all = db.prepare(`${FROM} workspace = ? ORDER BY number`);
  const byEmail = db.prepare(`${FROM} workspace = ? AND email_key = ?`);
  const byInvitation = db.prepare(`${FROM} invitation_hash = ?`);
  const byIdentity = db.prepare(`${FROM} workspace = ? AND oidc_issuer = ? AND oidc_subject = ?`);
  const credential = db.prepare('SELECT * FROM credential WHERE id = ?');
  const credentials = db.prepare(
    'SELECT * FROM credential WHERE person = ? AND workspace = ? ORDER BY registered_ms, id',
  );
  const session = db.prepare('SELECT * FROM session WHERE hash = ?');
  const one = (row: unknown): FoundPerson | null =>
    row === undefined ? null : foundPerson(row as FoundPersonRow);
  return {
    findPeople: (workspace: string, ids: readonly string[]): readonly FoundPerson[] =>
      ids.map((id) => one(byId.get(id, workspace))).filter((person) => person !== null),
    listPeople: (workspace: string): readonly FoundPerson[] =>
      (all.all(workspace) as FoundPersonRow[]).map(foundPerson),
    findPersonByEmail: (workspace: string, email: string): FoundPerson | null =>
      one(byEmail.get(workspace, emailKey(email))),
    findPersonByInvitation: (hash: string): FoundPerson | null => one(byInvitation.get(hash)),
    findPersonByIdentity: (workspace: string, issuer: string, subject: string): FoundPerson | null =>
      one(byIdentity.get(workspace, issuer, subject)),
    findCredential(id: string): StoredCredential | null {
      const row = credential.get(id) as CredentialRow | undefined;
      return row === undefined ? null : storedCredential(row);
    },
    listCredentials: (workspace: string, personId: string): readonly StoredCredential[] =>
      (credentials.all(personId, workspace) as CredentialRow[]).map(storedCredential),
    findSession(hash: string): FoundSession | null {
      const row = session.get(hash) as SessionRow | undefined;
      const person = row === undefined ? null : one(byId.get(row.person, row.workspace));
      return row === undefined || person === null ? null : foundSession(row, person);
    },
  };
}
