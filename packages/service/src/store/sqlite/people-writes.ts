/** Changes of people in SQLite, with their log entries; sessions, and one-time values. Each is one transaction. */
import { personEntries } from '../commit/new-entries.ts';
import { credentialRow, PERSON_COLUMNS, personRow, SESSION_KEPT_MS } from '../people-rows.ts';
import {
  type ChangePersonOutcome,
  type NewSession,
  type OneTimeValue,
  PEOPLE_MAX,
  type PersonChange,
  standingOf,
} from '../port/people.ts';
import { prepareAppendEntries } from './append-entry.ts';
import type { NoteChange } from './changes.ts';
import type { Db } from './open-database.ts';

type NotChanged = Exclude<ChangePersonOutcome['kind'], 'changed'>;

/** Leaves the transaction, which is undone as a whole. */
class Undone extends Error {
  readonly kind: NotChanged;

  constructor(kind: NotChanged) {
    super(kind);
    this.kind = kind;
  }
}

export function preparePersonWrites(db: Db, log: string, noteChange: NoteChange) {
  const insert = db.prepare(
    `INSERT INTO person (${PERSON_COLUMNS.join(', ')}) VALUES (${PERSON_COLUMNS.map((name) => `@${name}`).join(', ')})`,
  );
  const before = db.prepare('SELECT version, epoch FROM person WHERE id = ? AND workspace = ?');
  const update = db.prepare(
    `UPDATE person SET ${PERSON_COLUMNS.map((name) => `${name} = @${name}`).join(', ')} WHERE id = @id`,
  );
  const sameEmail = db
    .prepare('SELECT 1 FROM person WHERE workspace = ? AND email_key = ? AND id <> ?')
    .pluck();
  const sameIdentity = db
    .prepare('SELECT 1 FROM person WHERE workspace = ? AND oidc_issuer = ? AND oidc_subject = ? AND id <> ?')
    .pluck();
  const people = db.prepare('SELECT count(*) FROM person WHERE workspace = ?').pluck();
  const seen = db.prepare('UPDATE person SET last_seen_ms = max(coalesce(last_seen_ms, 0), ?) WHERE id = ?');
  const register = db.prepare(
    `INSERT INTO credential VALUES (@id, @workspace, @person, @epoch, @public_key, @algorithm, @sign_count, @transports,
       @registered_ms, @invited_by) ON CONFLICT DO NOTHING`,
  );
  const unregister = db.prepare('DELETE FROM credential WHERE person = ? AND epoch < ?');
  const revoke = db.prepare('INSERT INTO revoked_attestation VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  const append = prepareAppendEntries(db);

  const write = db.transaction((change: PersonChange): void => {
    const { person, entries, credential, seenAtMs } = change;
    const { workspace, id, version, epoch, oidc } = person;
    const row = personRow(person);
    const atMs = Date.parse(entries.at(-1)!.timestamp);
    const old = before.get(id, workspace) as { version: number; epoch: number } | undefined;
    // INVARIANT: a row of another version leaves nothing changed.
    if ((old?.version ?? 0) !== version - 1) throw new Undone('conflict');
    if (sameEmail.get(workspace, row.email_key, id) !== undefined) throw new Undone('email_taken');
    if (oidc !== null && sameIdentity.get(workspace, oidc.issuer, oidc.subject, id) !== undefined)
      throw new Undone('identity_taken');
    if (old === undefined) {
      if ((people.get(workspace) as number) >= PEOPLE_MAX) throw new Undone('too_many_people');
      insert.run(row);
    } else {
      update.run(row);
      if (epoch > old.epoch) {
        unregister.run(id, epoch);
        const { source, jti } = standingOf({ id, epoch: old.epoch });
        revoke.run(workspace, source, jti, atMs);
      }
    }
    if (credential !== undefined && register.run(credentialRow(person, credential)).changes !== 1)
      throw new Undone('credential_taken');
    if (seenAtMs !== undefined) seen.run(seenAtMs, id);
    append(log, personEntries(log, change));
    noteChange('person', workspace, id);
  });

  return {
    changePerson(change: PersonChange): ChangePersonOutcome {
      try {
        // Within the operation's transaction, this one is a savepoint.
        write(change);
        return { kind: 'changed' };
      } catch (thrown) {
        if (thrown instanceof Undone) return { kind: thrown.kind };
        throw thrown;
      }
    },
  };
}

export function prepareSessionWrites(db: Db, noteChange: NoteChange) {
  const insert = db.prepare(
    `INSERT INTO session SELECT @hash, @workspace, @personId, @epoch, @signIn, @createdAtMs, @expiresAtMs, @createdAtMs, NULL
     FROM person WHERE id = @personId AND workspace = @workspace AND epoch = @epoch AND state = 'active'`,
  );
  const end = db.prepare(
    'UPDATE session SET ended_ms = ? WHERE hash = ? AND ended_ms IS NULL RETURNING workspace, person',
  );
  const touch = db.prepare(
    'UPDATE session SET last_used_ms = @atMs WHERE hash = @hash AND last_used_ms < @atMs RETURNING person',
  );
  const seen = db.prepare('UPDATE person SET last_seen_ms = max(coalesce(last_seen_ms, 0), ?) WHERE id = ?');
  const noteCount = db.prepare('UPDATE credential SET sign_count = ? WHERE id = ?');
  const keep = db.prepare(
    'INSERT INTO one_time VALUES (@kind, @key, @payload, @expiresAtMs) ON CONFLICT DO NOTHING',
  );
  const take = db.prepare('DELETE FROM one_time WHERE kind = ? AND key = ? RETURNING payload, expires_ms');
  return {
    createSession: (session: NewSession): boolean => insert.run(session).changes === 1,
    endSession(hash: string, nowMs: number): void {
      const ended = end.get(nowMs, hash) as { workspace: string; person: string } | undefined;
      if (ended !== undefined) noteChange('person', ended.workspace, ended.person);
    },
    touchSessions(uses: readonly { readonly hash: string; readonly atMs: number }[]): void {
      for (const use of uses) {
        const touched = touch.get(use) as { person: string } | undefined;
        if (touched !== undefined) seen.run(use.atMs, touched.person);
      }
    },
    noteSignCount: (id: string, signCount: number): void => void noteCount.run(signCount, id),
    keepOneTime: (value: OneTimeValue): boolean => keep.run(value).changes === 1,
    takeOneTime(kind: string, key: string, nowMs: number): string | null {
      const taken = take.get(kind, key) as { payload: string; expires_ms: number } | undefined;
      return taken === undefined || taken.expires_ms <= nowMs ? null : taken.payload;
    },
  };
}

const SWEEP_ROWS = 1_000;

export function preparePeopleSweep(db: Db) {
  const sessions = db.prepare(
    `DELETE FROM session WHERE hash IN (SELECT hash FROM session WHERE expires_ms <= ? LIMIT ${SWEEP_ROWS})`,
  );
  const oneTime = db.prepare(
    `DELETE FROM one_time WHERE (kind, key) IN
       (SELECT kind, key FROM one_time WHERE expires_ms <= ? LIMIT ${SWEEP_ROWS})`,
  );
  return (nowMs: number): number =>
    sessions.run(nowMs - SESSION_KEPT_MS).changes + oneTime.run(nowMs).changes;
}
