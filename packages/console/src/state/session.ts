/** The signed-in owner key or person, kept for this tab until it closes, signs out, or is idle for too long, and what they may do. */
import type { Person as ApiPerson, Workspace } from '@writecheck/api';
import { mayUse, type Ruled } from '@writecheck/api/roles';
import { MINUTE_MS } from '@writecheck/contract';
import { keptForTab } from './kept.ts';
import { createStore, useStore } from './store.ts';

/** What the tab keeps of the person who signed in; an older page kept no `createdAt`. */
export type Person = Pick<ApiPerson, 'id' | 'name' | 'email' | 'roles' | 'groups'> &
  Partial<Pick<ApiPerson, 'createdAt'>>;

export interface Session {
  /** An owner key, or the token of a person's session: what every request sends. */
  readonly secret: string;
  readonly workspace: Workspace;
  /** Absent for an owner key. */
  readonly person?: Person;
}

/** Why the session ended; shown on the sign-in page. */
export type SignOutReason = 'asked' | 'idle' | 'key_refused';

export const IDLE_AFTER_MS = 15 * MINUTE_MS;
const LOOK_EVERY_MS = 5_000;
/** Session storage, because local storage outlives the tab and cookies are sent to other ports. */
const STORED_AS = 'writecheck.session';
/** Names of the workspace's objects, which the next user of the tab must not see. */
export const LOOKED_AT_AS = 'writecheck.looked-at';

interface Stored extends Session {
  readonly activeAtMs: number;
}

/** Kept, so that a page that was left overnight still says in the morning why it asks. */
const SIGNED_OUT_AS = 'writecheck.signed-out';

export const session = createStore<Session | null>(restore());
export const signedOut = createStore<SignOutReason | null>(whyIn(keptForTab.get(SIGNED_OUT_AS)));
/** The playground's key for sending checks. In memory only; a reload forgets it. */
export const checkingKey = createStore<string | null>(null);

export function useSession(): Session | null {
  return useStore(session);
}

export function signIn(next: Session): void {
  keptForTab.set(LOOKED_AT_AS, null);
  noteSignedOut(null);
  session.set(next);
  keepAlive();
}

/** Grows when the service refuses what the tab believed it may do: somebody may have changed the roles. */
export const doubts = createStore(0);

export function noteDoubt(): void {
  doubts.set(doubts.get() + 1);
}

/** The name of the workspace, and the person's own and what they may do, may change while somebody is signed in. */
export function noteMe({ workspace, person }: Pick<Session, 'workspace' | 'person'>): void {
  const current = session.get();
  if (current?.workspace.id !== workspace.id) return;
  const next = person === undefined ? { ...current, workspace } : { ...current, workspace, person };
  if (shownOf(next) === shownOf(current)) return;
  session.set(next);
  keepAlive();
}

function shownOf({ workspace, person }: Session): string {
  return JSON.stringify([workspace.name, person?.name, person?.roles, person?.groups]);
}

export function signOut(reason: SignOutReason): void {
  if (session.get() === null) return;
  forget();
  checkingKey.set(null);
  noteSignedOut(reason);
  session.set(null);
}

function forget(): void {
  keptForTab.set(STORED_AS, null);
  keptForTab.set(LOOKED_AT_AS, null);
}

function noteSignedOut(reason: SignOutReason | null): void {
  keptForTab.set(SIGNED_OUT_AS, reason);
  signedOut.set(reason);
}

function whyIn(text: string | null): SignOutReason | null {
  return text === 'asked' || text === 'idle' || text === 'key_refused' ? text : null;
}

/** Called on every user action. */
export function keepAlive(): void {
  const current = session.get();
  if (current === null) return;
  if (isIdle()) {
    signOut('idle');
    return;
  }
  keptForTab.set(STORED_AS, JSON.stringify({ ...current, activeAtMs: Date.now() } satisfies Stored));
}

export function watchIdleness(): void {
  for (const event of ['pointerdown', 'keydown', 'wheel'])
    window.addEventListener(event, keepAlive, { passive: true });
  // A sleeping tab runs no timers, so check when it becomes visible again.
  document.addEventListener('visibilitychange', signOutIfIdle);
  setInterval(signOutIfIdle, LOOK_EVERY_MS);
}

function signOutIfIdle(): void {
  if (session.get() !== null && isIdle()) signOut('idle');
}

function isIdle(): boolean {
  const stored = read();
  return stored !== null && Date.now() - stored.activeAtMs > IDLE_AFTER_MS;
}

function restore(): Session | null {
  const stored = read();
  if (stored === null) return null;
  if (Date.now() - stored.activeAtMs > IDLE_AFTER_MS) {
    forget();
    keptForTab.set(SIGNED_OUT_AS, 'idle' satisfies SignOutReason);
    return null;
  }
  const { secret, workspace, person } = stored;
  return person === undefined ? { secret, workspace } : { secret, workspace, person };
}

function read(): Stored | null {
  try {
    const text = keptForTab.get(STORED_AS);
    const stored = text === null ? null : (JSON.parse(text) as Stored);
    // An older page may have stored something else before the service was upgraded.
    return typeof stored?.secret === 'string' ? stored : null;
  } catch {
    return null;
  }
}

/** An owner key, which belongs to no person, has every right. */
export function hasRight(person: Person | undefined, operation: Ruled): boolean {
  return person === undefined || mayUse(operation, person.roles);
}

export function useRight(operation: Ruled): boolean {
  const session = useSession();
  return session !== null && hasRight(session.person, operation);
}
