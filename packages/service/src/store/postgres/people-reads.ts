/** Lookups of people, passkeys and sessions in PostgreSQL, over the pool. */
import {
  type CredentialRow,
  type FoundPersonRow,
  foundPerson,
  foundSession,
  type SessionRow,
  storedCredential,
} from '../people-rows.ts';
import { emailKey, type FoundPerson, type FoundSession, type StoredCredential } from '../port/people.ts';
import type { Query } from './connection.ts';

const FOUND = `p.*, EXISTS (SELECT 1 FROM writecheck.credential c
  WHERE c.person = p.id AND c.epoch = p.epoch) AS has_passkey`;
const FROM = `SELECT ${FOUND} FROM writecheck.person p WHERE`;

export function preparePeopleReads(query: Query) {
  const all = async (text: string, values: readonly unknown[]): Promise<readonly FoundPerson[]> =>
    (await query<FoundPersonRow>(`${FROM} ${text}`, values)).map(foundPerson);
  const one = async (text: string, values: readonly unknown[]): Promise<FoundPerson | null> =>
    (await all(text, values))[0] ?? null;
  return {
    async findPeople(workspace: string, ids: readonly string[]): Promise<readonly FoundPerson[]> {
      const byId = new Map(
        (await all('workspace = $1 AND id = ANY ($2)', [workspace, ids])).map((person) => [
          person.id,
          person,
        ]),
      );
      return ids.map((id) => byId.get(id)).filter((person) => person !== undefined);
    },
    listPeople: (workspace: string) => all('workspace = $1 ORDER BY number', [workspace]),
    findPersonByEmail: (workspace: string, email: string) =>
      one('workspace = $1 AND email_key = $2', [workspace, emailKey(email)]),
    findPersonByInvitation: (hash: string) => one('invitation_hash = $1', [hash]),
    findPersonByIdentity: (workspace: string, issuer: string, subject: string) =>
      one('workspace = $1 AND oidc_issuer = $2 AND oidc_subject = $3', [workspace, issuer, subject]),
    async findCredential(id: string): Promise<StoredCredential | null> {
      const [row] = await query<CredentialRow>('SELECT * FROM writecheck.credential WHERE id = $1', [id]);
      return row === undefined ? null : storedCredential(row);
    },
    listCredentials: async (workspace: string, personId: string): Promise<readonly StoredCredential[]> =>
      (
        await query<CredentialRow>(
          'SELECT * FROM writecheck.credential WHERE person = $1 AND workspace = $2 ORDER BY registered_ms, id',
          [personId, workspace],
        )
      ).map(storedCredential),
    async findSession(hash: string): Promise<FoundSession | null> {
      // One statement, so that the session is judged by the person of the same moment.
      const [row] = await query<{ readonly session: SessionRow; readonly person: FoundPersonRow }>(
        `SELECT row_to_json(s) AS session,
           (SELECT row_to_json(f) FROM (${FROM} p.id = s.person AND p.workspace = s.workspace) AS f) AS person
         FROM writecheck.session s WHERE hash = $1`,
        [hash],
      );
      return row === undefined || row.person === null
        ? null
        : foundSession(row.session, foundPerson(row.person));
    },
  };
}
