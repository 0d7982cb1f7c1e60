/** Sessions of people, and one-time values. */
import { DAY_MS } from '@writecheck/contract';
import type { FoundSession, NewSession, OneTimeValue } from '../port/people.ts';
import { endedWorkspaces, overBecause } from './lock-workspace.ts';
import { mapping } from './mapping.ts';
import {
  insertion,
  list,
  noteChange,
  part,
  type Read,
  separated,
  sortedBy,
  sql,
  type Write,
} from './operation.ts';
import { FOUND, type FoundPersonRow, foundPerson, noteSeen } from './people.ts';
import { STANDING, type StandingRow, standingOf } from './standing.ts';

export const TABLES = `
CREATE TABLE writecheck.session (
  hash text PRIMARY KEY,
  workspace text NOT NULL,
  person text NOT NULL,
  epoch bigint NOT NULL,
  sign_in text NOT NULL,
  created_ms bigint NOT NULL,
  expires_ms bigint NOT NULL,
  last_used_ms bigint NOT NULL,
  ended_ms bigint
) WITHOUT ROWID;
CREATE INDEX session_by_expiry ON writecheck.session (expires_ms);

CREATE TABLE writecheck.one_time (
  kind text NOT NULL,
  key text COLLATE "C" NOT NULL,
  payload text NOT NULL,
  expires_ms bigint NOT NULL,
  PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX one_time_by_expiry ON writecheck.one_time (expires_ms);
`;

const SWEEP_ROWS = 1_000;
/** How long an expired session is still found, so that its holder learns that it has expired. */
const SESSION_KEPT_MS = DAY_MS;

const SESSION = mapping<Omit<FoundSession, 'person' | 'standing'>>({
  hash: 'hash',
  workspace: 'workspace',
  personId: 'person',
  epoch: 'epoch',
  signIn: 'sign_in',
  createdAtMs: 'created_ms',
  expiresAtMs: 'expires_ms',
  lastUsedAtMs: 'last_used_ms',
  endedAtMs: 'ended_ms',
});

type JoinedRow = FoundPersonRow &
  StandingRow & { readonly session_epoch: number; readonly session_created_ms: number };

/** Finds ended and expired sessions too: the caller decides which 401 it is. */
export function* findSession(hash: string): Read<FoundSession | null> {
  // One statement, so that the session is judged by the person of the same moment.
  const [row] =
    yield* sql<JoinedRow>`SELECT ${FOUND}, s.hash, s.sign_in, s.expires_ms, s.last_used_ms, s.ended_ms,
      s.epoch AS session_epoch, s.created_ms AS session_created_ms, ${STANDING}
    FROM writecheck.session s JOIN writecheck.person p ON p.id = s.person AND p.workspace = s.workspace
      JOIN writecheck.workspace w ON w.id = s.workspace
    WHERE s.hash = ${hash}`;
  if (row === undefined) return null;
  const { session_epoch: epoch, session_created_ms: created_ms } = row;
  const standing = standingOf(row);
  return {
    ...SESSION.storedOf({ ...row, person: row.id, epoch, created_ms }),
    person: foundPerson(row),
    standing,
  };
}

/**
 * False if the person is no longer active in that epoch: nothing was written. Rejects with `ActingEnded` if the workspace
 * is not active.
 */
export function* createSession(session: NewSession): Write<boolean> {
  const { workspace, personId, epoch } = session;
  const ended = (yield* endedWorkspaces([workspace])).get(workspace);
  if (ended !== undefined) throw overBecause(ended);
  // Shares the row, so that a change that disables this person waits, and ends this session too.
  const active =
    yield* sql`SELECT 1 FROM writecheck.person WHERE id = ${personId} AND workspace = ${workspace}
    AND epoch = ${epoch} AND state = 'active' FOR SHARE`;
  if (active.length === 0) return false;
  const row = SESSION.rowOf({ ...session, lastUsedAtMs: session.createdAtMs, endedAtMs: null });
  yield* sql`INSERT INTO writecheck.session ${insertion(row)}`;
  return true;
}

/** Ending twice changes nothing. */
export function* endSession(hash: string, nowMs: number): Write<void> {
  const [ended] = yield* sql<{
    readonly workspace: string;
    readonly person: string;
  }>`UPDATE writecheck.session
    SET ended_ms = ${nowMs} WHERE hash = ${hash} AND ended_ms IS NULL RETURNING workspace, person`;
  if (ended !== undefined) yield* noteChange('person', ended.workspace, ended.person);
}

/** Records last uses of sessions and of their people; a time earlier than the stored one is ignored. */
export function* touchSessions(
  uses: readonly { readonly hash: string; readonly atMs: number }[],
): Write<void> {
  if (uses.length === 0) return;
  const used = new Map<string, number>();
  for (const { hash, atMs } of uses) used.set(hash, Math.max(atMs, used.get(hash) ?? 0));
  // Locked in one order, because other processes touch the same rows.
  yield* sql`SELECT 1 FROM writecheck.session WHERE hash IN (${list([...used.keys()])}) ORDER BY hash FOR NO KEY UPDATE`;
  const rows = separated([...used].map(([hash, atMs]) => part`(${hash}::text, ${atMs}::bigint)`));
  const touched = yield* sql<{ readonly person: string; readonly last_used_ms: number }>`
    WITH used (used_hash, at_ms) AS (VALUES ${rows})
    UPDATE writecheck.session SET last_used_ms = used.at_ms FROM used
    WHERE hash = used.used_hash AND last_used_ms < used.at_ms RETURNING person, last_used_ms`;
  const seen = new Map<string, number>();
  for (const { person, last_used_ms } of touched)
    seen.set(person, Math.max(last_used_ms, seen.get(person) ?? 0));
  for (const [person, atMs] of sortedBy([...seen], ([person]) => person)) yield* noteSeen(person, atMs);
}

/** False if that kind and key already exists and is not spent. */
export function* keepOneTime({ kind, key, payload, expiresAtMs }: OneTimeValue): Write<boolean> {
  const row = { kind, key, payload, expires_ms: expiresAtMs };
  const kept =
    yield* sql`INSERT INTO writecheck.one_time ${insertion(row)} ON CONFLICT DO NOTHING RETURNING 1`;
  return kept.length === 1;
}

/** Removes it: of several takers, one gets the payload and the others get null. Null also if it has expired. */
export function* takeOneTime(kind: string, key: string, nowMs: number): Write<string | null> {
  const [taken] = yield* sql<{ readonly payload: string; readonly expires_ms: number }>`
    DELETE FROM writecheck.one_time WHERE kind = ${kind} AND key = ${key} RETURNING payload, expires_ms`;
  return taken === undefined || taken.expires_ms <= nowMs ? null : taken.payload;
}

/** Removes a batch of expired sessions and one-time values; returns how many. */
export function* sweepSessions(nowMs: number): Write<number> {
  const sessions =
    yield* sql`DELETE FROM writecheck.session WHERE hash IN (SELECT hash FROM writecheck.session
    WHERE expires_ms <= ${nowMs - SESSION_KEPT_MS} LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED) RETURNING 1`;
  const oneTime = yield* sql`DELETE FROM writecheck.one_time WHERE (kind, key) IN (SELECT kind, key
    FROM writecheck.one_time WHERE expires_ms <= ${nowMs} LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED) RETURNING 1`;
  return sessions.length + oneTime.length;
}
