/** Finds the session for a token, or the reason why it ended; starts and ends sessions. */
import { HOUR_MS, MINUTE_MS } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import type { FoundPerson, FoundSession, NewSession } from '@writecheck/store/port/people';
import type { PersonActor } from '../../exchange/actor.ts';
import type { RefusedKey } from '../../exchange/credential.ts';
import { type LastUses, type Uses, writeUses } from '../../support/last-uses.ts';
import { TrustedReads } from '../../support/shared-reads.ts';
import { hashOfSecret, INVALID, refusedBy } from '../keys/authenticate.ts';
import { createSecret } from '../keys/key-format.ts';

export const SESSION_MS = 8 * HOUR_MS;
export const IDLE_MS = 30 * MINUTE_MS;

const ENDED: RefusedKey = {
  kind: 'refused',
  code: 'key_revoked',
  message: 'the session was ended; sign in again',
};
const OVER: RefusedKey = {
  kind: 'refused',
  code: 'key_expired',
  message: 'the session has expired; sign in again',
};

type SessionOutcome = { readonly kind: 'actor'; readonly actor: PersonActor } | RefusedKey;

export interface MadeSession {
  readonly token: string;
  readonly expiresAtMs: number;
}

type SessionStore = Pick<Store, 'findSession' | 'createSession' | 'endSession' | 'touchSessions'>;

export class Sessions {
  readonly #store: SessionStore;
  readonly #sessions: TrustedReads<FoundSession>;
  readonly #trustedMs: () => number;
  readonly #uses: LastUses = new Map();

  /** `trustedMs` returns the time that may be written. */
  constructor(store: SessionStore, trustedMs: () => number) {
    this.#store = store;
    this.#trustedMs = trustedMs;
    this.#sessions = new TrustedReads((digest) => store.findSession(digest));
  }

  /**
   * `isChange`: whether the request changes something. It is then judged by what the store holds now: somebody
   * who just lost a role must not give it back to themselves through another process.
   */
  async authenticate(digest: string, nowMs: number, isChange: boolean): Promise<SessionOutcome> {
    const found = await (isChange ? this.#sessions.findNow(digest) : this.#sessions.find(digest));
    if (found === null) return INVALID;
    // Another process may have used it a moment ago, and the store announces no such change.
    const session = this.#isIdle(found, nowMs) ? await this.#sessions.findAgain(digest) : found;
    if (session === null) return INVALID;
    const { person, standing } = session;
    const refused = refusedBy(standing, { workspace: session.workspace, id: person.id });
    if (refused !== null) return refused;
    const isEnded = session.endedAtMs !== null || session.epoch !== person.epoch || person.state !== 'active';
    if (isEnded) return ENDED;
    if (session.expiresAtMs <= nowMs || this.#isIdle(session, nowMs)) return OVER;
    this.#uses.set(digest, nowMs);
    return {
      kind: 'actor',
      actor: {
        kind: 'person',
        workspace: session.workspace,
        id: person.id,
        person,
        session,
        isSelfServe: standing.isSelfServe,
      },
    };
  }

  #isIdle({ hash, lastUsedAtMs }: FoundSession, nowMs: number): boolean {
    return nowMs - Math.max(lastUsedAtMs, this.#uses.get(hash) ?? 0) >= IDLE_MS;
  }

  /** Null if the person was disabled or reset meanwhile. */
  async make(
    person: Pick<FoundPerson, 'workspace' | 'id' | 'epoch'>,
    signIn: NewSession['signIn'],
    nowMs: number,
  ): Promise<MadeSession | null> {
    const token = createSecret('session');
    const expiresAtMs = nowMs + SESSION_MS;
    const hash = hashOfSecret(token);
    const made = await this.#store.createSession({
      hash,
      workspace: person.workspace,
      personId: person.id,
      epoch: person.epoch,
      signIn,
      createdAtMs: nowMs,
      expiresAtMs,
    });
    if (!made) return null;
    // Signing in is a use: the person was seen.
    this.#uses.set(hash, nowMs);
    return { token, expiresAtMs };
  }

  async end({ hash }: FoundSession, nowMs: number): Promise<void> {
    await this.#store.endSession(hash, nowMs);
    this.forgetAll();
  }

  unchanged(atMs: number): void {
    this.#sessions.unchanged(atMs);
  }

  forgetAll(): void {
    this.#sessions.forgetAll();
  }

  /** Writes last uses. */
  flushUses(): Promise<void> {
    const write = (uses: Uses) => this.#store.touchSessions(uses.map(([hash, atMs]) => ({ hash, atMs })));
    return writeUses(this.#uses, write, this.#trustedMs());
  }
}
