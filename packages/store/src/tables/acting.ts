/** Whether whoever makes a change may still make it, judged in the change's own transaction. */
import type { Acting, ActingOver } from '../port/acting.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { type Read, sql, Undone } from './operation.ts';

interface KeyState {
  readonly revoked_ms: number | null;
  readonly expires_ms: number | null;
  readonly held_by: string | null;
}

interface SessionState {
  readonly ended_ms: number | null;
  readonly expires_ms: number;
  readonly epoch: number;
}

interface PersonState {
  readonly state: string;
  readonly epoch: number;
}

/**
 * INVARIANT: nothing is changed for a revoked key or an ended session. A revocation takes the same locks, so it is
 * either seen here or answered after this change. False if there is no such workspace.
 */
export function* begin(workspace: string, by: Acting, nowMs: number): Read<boolean> {
  const exists = yield* lockWorkspace(workspace);
  const code = yield* overBecause(by, nowMs);
  if (code !== null) throw new Undone({ kind: 'acting_over', code } satisfies ActingOver);
  return exists;
}

/** Null if they still may. */
export function* overBecause({ kind, id, session }: Acting, nowMs: number): Read<ActingOver['code'] | null> {
  switch (kind) {
    case 'owner_key':
    case 'service_key':
    case 'checking_key':
      return yield* keyOver(id, nowMs);
    case 'person':
      return yield* personOver(id, session, nowMs);
    case 'operator':
    case 'sign_up':
      return null;
  }
}

function* keyOver(id: string, nowMs: number): Read<ActingOver['code'] | null> {
  const key = yield* keyState(id);
  if (key === null || (yield* isOut(key))) return 'key_revoked';
  return key.expires_ms !== null && key.expires_ms <= nowMs ? 'key_expired' : null;
}

/** Whether the key was revoked, or its holder is disabled; a revocation that is under way ends first. */
export function* isKeyRevoked(id: string): Read<boolean> {
  const key = yield* keyState(id);
  return key !== null && (yield* isOut(key));
}

function* keyState(id: string): Read<KeyState | null> {
  const [key] =
    yield* sql<KeyState>`SELECT revoked_ms, expires_ms, held_by FROM writecheck.api_key WHERE id = ${id} FOR SHARE`;
  return key ?? null;
}

function* isOut({ revoked_ms, held_by }: KeyState): Read<boolean> {
  if (revoked_ms !== null) return true;
  return held_by !== null && (yield* personState(held_by))?.state === 'disabled';
}

function* personOver(id: string, hash: string | undefined, nowMs: number): Read<ActingOver['code'] | null> {
  const person = yield* personState(id);
  if (person?.state !== 'active') return 'key_revoked';
  if (hash === undefined) return null;
  const [session] = yield* sql<SessionState>`SELECT ended_ms, expires_ms, epoch FROM writecheck.session
    WHERE hash = ${hash} FOR SHARE`;
  if (session === undefined || session.ended_ms !== null || session.epoch !== person.epoch)
    return 'key_revoked';
  return session.expires_ms <= nowMs ? 'key_expired' : null;
}

function* personState(id: string): Read<PersonState | null> {
  const [person] =
    yield* sql<PersonState>`SELECT state, epoch FROM writecheck.person WHERE id = ${id} FOR SHARE`;
  return person ?? null;
}
