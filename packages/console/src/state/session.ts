/** Who is signed in: an owner key for this tab alone, gone when the tab closes, on signing out and after a while of idleness. */
import { createStore, useStore } from './store.ts';

export interface Workspace {
  readonly id: string;
  readonly name: string;
}

export interface Session {
  readonly ownerKey: string;
  readonly workspace: Workspace;
}

/** Why nobody is signed in any more; shown on the page where one signs in. */
export type SignOutReason = 'asked' | 'idle' | 'key_refused';

export const IDLE_AFTER_MS = 15 * 60_000;
const LOOK_EVERY_MS = 5_000;
/** Not local storage and no cookie: nothing outlives the tab or rides along to another port. */
const STORED_AS = 'writecheck.session';

interface Stored extends Session {
  readonly activeAtMs: number;
}

export const session = createStore<Session | null>(restore());
export const signedOut = createStore<SignOutReason | null>(null);
/** A key that checks, for the playground. In memory only: a reload forgets it. */
export const checkingKey = createStore<string | null>(null);

export function useSession(): Session | null {
  return useStore(session);
}

export function signIn(next: Session): void {
  signedOut.set(null);
  session.set(next);
  keepAlive();
}

export function signOut(reason: SignOutReason): void {
  if (session.get() === null) return;
  sessionStorage.removeItem(STORED_AS);
  checkingKey.set(null);
  signedOut.set(reason);
  session.set(null);
}

/** Called for whatever the reader does. */
export function keepAlive(): void {
  const current = session.get();
  if (current === null) return;
  if (isIdle()) {
    signOut('idle');
    return;
  }
  sessionStorage.setItem(STORED_AS, JSON.stringify({ ...current, activeAtMs: Date.now() } satisfies Stored));
}

export function watchIdleness(): void {
  for (const event of ['pointerdown', 'keydown', 'wheel'])
    window.addEventListener(event, keepAlive, { passive: true });
  // A tab that slept does not run timers; it is looked at the moment it is seen again.
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
    sessionStorage.removeItem(STORED_AS);
    return null;
  }
  return { ownerKey: stored.ownerKey, workspace: stored.workspace };
}

function read(): Stored | null {
  try {
    const text = sessionStorage.getItem(STORED_AS);
    return text === null ? null : (JSON.parse(text) as Stored);
  } catch {
    return null;
  }
}
