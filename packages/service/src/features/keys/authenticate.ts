/** Finds the key for an `Authorization` header, or the reason why there is none. */
import { hash } from 'node:crypto';
import type { FoundKey, Store, WorkspaceStanding } from '@writecheck/store/port';
import { SUSPENDED } from '@writecheck/store/port/acting';
import { actorOfKey, type KeyActor } from '../../exchange/actor.ts';
import {
  ASK_FOR_A_NEW_ONE,
  type Credential,
  type RefusedKey,
  revokedMessage,
} from '../../exchange/credential.ts';
import { type LastUses, type Uses, writeUses } from '../../support/last-uses.ts';
import { TrustedReads } from '../../support/shared-reads.ts';
import { kindOfSecret } from './key-format.ts';

export type Authentication = { readonly kind: 'actor'; readonly actor: KeyActor } | RefusedKey;

interface KnownKey {
  readonly hash: string;
  readonly key: FoundKey;
  readonly found: Extract<Authentication, { kind: 'actor' }>;
}

const BEARER = /^Bearer +([^\s,]+) *$/i;

const MISSING: RefusedKey = {
  kind: 'refused',
  code: 'missing_key',
  message: 'no key was sent; send the header `Authorization: Bearer <key>`',
};
export const INVALID: RefusedKey = {
  kind: 'refused',
  code: 'invalid_key',
  message: 'the key is not known; check for a typo or create a new one',
};

export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

export function credentialOf(header: string | undefined): Credential {
  if (header === undefined) return MISSING;
  const secret = BEARER.exec(header)?.[1];
  // `Bearer` alone is what an unset variable leaves: nothing was sent that could be mistyped.
  if (secret === undefined) return /^bearer +\S/i.test(header) ? INVALID : MISSING;
  const kind = kindOfSecret(secret);
  if (kind === null || kind === 'invitation') return INVALID;
  return { kind: kind === 'session' ? 'session' : 'secret', digest: hashOfSecret(secret) };
}

/** Null if the workspace is active. A key of a deleted one is as unknown as any other. */
export function refusedBy(
  { state }: WorkspaceStanding,
  actor: NonNullable<RefusedKey['actor']>,
): RefusedKey | null {
  switch (state) {
    case 'active':
      return null;
    case 'suspended':
      return { kind: 'refused', code: 'workspace_suspended', message: SUSPENDED, actor };
    case 'deleted':
      return INVALID;
  }
}

export class Authenticator {
  readonly #keys: TrustedReads<KnownKey>;
  readonly #store: Pick<Store, 'findKey' | 'touchKeys'>;
  readonly #trustedMs: () => number;
  readonly #uses: LastUses = new Map();

  /** `trustedMs` returns the time that may be written. */
  constructor(store: Pick<Store, 'findKey' | 'touchKeys'>, trustedMs: () => number) {
    this.#store = store;
    this.#trustedMs = trustedMs;
    this.#keys = new TrustedReads(async (digest) => {
      const key = await store.findKey(digest);
      return key && { hash: key.hash, key, found: { kind: 'actor', actor: actorOfKey(key) } };
    });
  }

  /**
   * Returns a promise only if the key must be read from the store; see `shared-reads.ts`. `isChange`: whether
   * the request changes something. It is then judged by what the store holds now: a key that was just revoked
   * must not create another key through another process.
   */
  authenticate(
    credential: Credential,
    nowMs: number,
    isChange: boolean,
  ): Authentication | Promise<Authentication> {
    if (credential.kind === 'refused') return credential;
    const found = isChange ? this.#keys.findNow(credential.digest) : this.#keys.find(credential.digest);
    return found instanceof Promise
      ? found.then((known) => (known === null ? INVALID : this.#judge(known, nowMs)))
      : this.#judge(found, nowMs);
  }

  #judge({ key, found }: KnownKey, nowMs: number): Authentication {
    const { actor } = found;
    const ended = refusedBy(key.standing, actor);
    if (ended !== null) return ended;
    if (key.revokedAtMs !== null) {
      return { kind: 'refused', code: 'key_revoked', message: revokedMessage(key.hint), actor };
    }
    if (key.isHolderDisabled) {
      const message = `the key \`${key.hint}\` is held by somebody who is disabled; ${ASK_FOR_A_NEW_ONE}`;
      return { kind: 'refused', code: 'key_revoked', message, actor };
    }
    if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) {
      const message = `the key \`${key.hint}\` has expired; use the one that replaced it, or ${ASK_FOR_A_NEW_ONE}`;
      return { kind: 'refused', code: 'key_expired', message, actor };
    }
    this.#uses.set(key.id, nowMs);
    return found;
  }

  /** The store was seen unchanged since the last change announced here. */
  unchanged(atMs: number): void {
    this.#keys.unchanged(atMs);
  }

  /** After a change, the next request reads the store. */
  forgetAll(): void {
    this.#keys.forgetAll();
  }

  /** Writes last uses, at most this many at a time. */
  flushUses(most?: number): Promise<void> {
    const write = (uses: Uses) => this.#store.touchKeys(uses.map(([keyId, atMs]) => ({ keyId, atMs })));
    return writeUses(this.#uses, write, this.#trustedMs(), most);
  }
}
