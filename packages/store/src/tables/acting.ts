/** Checks in a change's own transaction whether its author may still make it. */
import type { Acting, ActingOver, EndedCode } from '../port/acting.ts';
import { charge } from './charge.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { list, type Read, sql, Undone, type Write } from './operation.ts';

interface KeyState {
  readonly id: string;
  readonly revoked_ms: number | null;
  readonly expires_ms: number | null;
  readonly held_by: string | null;
}

interface SessionState {
  readonly hash: string;
  readonly ended_ms: number | null;
  readonly expires_ms: number;
  readonly epoch: number;
}

interface PersonState {
  readonly id: string;
  readonly state: string;
  readonly epoch: number;
}

/**
 * INVARIANT: nothing is changed for a revoked key, an ended session or a workspace that is not active. A revocation takes the same locks, so it
 * is either seen here or returns after this change. False if there is no such workspace. `isEnding` is for what only takes
 * something away.
 */
export function* begin(workspace: string, by: Acting, nowMs: number, isEnding = false): Write<boolean> {
  const isOperator = by.kind === 'operator';
  const exists = yield* lockWorkspace(workspace, isOperator);
  const code = yield* endedBecause(by, nowMs);
  if (code !== null) throw new Undone({ kind: 'acting_over', code } satisfies ActingOver);
  if (exists) yield* charge(workspace, nowMs, { isEnding, mayRefuse: !isOperator });
  return exists;
}

/** Null if they still may. */
function* endedBecause(by: Acting, nowMs: number): Read<EndedCode | null> {
  return (yield* overAmong([{ by, nowMs }]))[0]!;
}

/** Checks all of them, in order, in a few statements however many there are. Rows are locked in one order. */
export function* overAmong(
  acting: readonly { readonly by: Acting; readonly nowMs: number }[],
): Read<readonly (EndedCode | null)[]> {
  const all = acting.map(({ by }) => by);
  const keys = yield* keyStates(all.filter((by) => isKey(by)).map(({ id }) => id));
  const people = yield* personStates([
    ...all.filter(({ kind }) => kind === 'person').map(({ id }) => id),
    ...holdersOf(keys),
  ]);
  const sessions = yield* sessionStates(
    all.flatMap(({ kind, session }) => (kind === 'person' && session !== undefined ? [session] : [])),
  );
  return acting.map(({ by, nowMs }) => {
    if (isKey(by)) return keyOver(keys.get(by.id), people, nowMs);
    if (by.kind !== 'person') return null;
    const person = people.get(by.id);
    if (person?.state !== 'active') return 'key_revoked';
    return by.session === undefined ? null : sessionOver(sessions.get(by.session), person, nowMs);
  });
}

function isKey({ kind }: Acting): boolean {
  switch (kind) {
    case 'owner_key':
    case 'service_key':
    case 'checking_key':
      return true;
    case 'person':
    case 'operator':
    case 'sign_up':
      return false;
  }
}

type People = ReadonlyMap<string, PersonState>;

function keyOver(key: KeyState | undefined, people: People, nowMs: number): EndedCode | null {
  if (key === undefined || isOut(key, people)) return 'key_revoked';
  return key.expires_ms !== null && key.expires_ms <= nowMs ? 'key_expired' : null;
}

/** Whether the key was revoked, or its holder is disabled; waits for a revocation in progress. */
export function* isKeyRevoked(id: string): Read<boolean> {
  const keys = yield* keyStates([id]);
  const key = keys.get(id);
  return key !== undefined && isOut(key, yield* personStates(holdersOf(keys)));
}

function isOut({ revoked_ms, held_by }: KeyState, people: People): boolean {
  return revoked_ms !== null || (held_by !== null && people.get(held_by)?.state === 'disabled');
}

function holdersOf(keys: ReadonlyMap<string, KeyState>): readonly string[] {
  return [...keys.values()].flatMap(({ held_by }) => held_by ?? []);
}

function sessionOver(
  session: SessionState | undefined,
  { epoch }: PersonState,
  nowMs: number,
): EndedCode | null {
  if (session === undefined || session.ended_ms !== null || session.epoch !== epoch) return 'key_revoked';
  return session.expires_ms <= nowMs ? 'key_expired' : null;
}

function* keyStates(ids: readonly string[]): Read<ReadonlyMap<string, KeyState>> {
  if (ids.length === 0) return new Map();
  const rows = yield* sql<KeyState>`SELECT id, revoked_ms, expires_ms, held_by FROM writecheck.api_key
    WHERE id IN (${list(distinct(ids))}) ORDER BY id FOR SHARE`;
  return new Map(rows.map((row) => [row.id, row]));
}

function* personStates(ids: readonly string[]): Read<People> {
  if (ids.length === 0) return new Map();
  const rows = yield* sql<PersonState>`SELECT id, state, epoch FROM writecheck.person
    WHERE id IN (${list(distinct(ids))}) ORDER BY id FOR SHARE`;
  return new Map(rows.map((row) => [row.id, row]));
}

function* sessionStates(hashes: readonly string[]): Read<ReadonlyMap<string, SessionState>> {
  if (hashes.length === 0) return new Map();
  const rows = yield* sql<SessionState>`SELECT hash, ended_ms, expires_ms, epoch FROM writecheck.session
    WHERE hash IN (${list(distinct(hashes))}) ORDER BY hash FOR SHARE`;
  return new Map(rows.map((row) => [row.hash, row]));
}

function distinct(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)];
}
