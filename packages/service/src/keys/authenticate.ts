/** Finds the key for an `Authorization` header, or the reason why there is none. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { StoredKey, WorkspacesAndKeys } from '../store/port.ts';
import { kindOfSecret } from './key-format.ts';

export interface RefusedKey {
  readonly kind: 'refused';
  readonly code: 'missing_key' | 'invalid_key' | 'key_revoked' | 'key_expired';
  readonly message: string;
}

export type Authentication = { readonly kind: 'key'; readonly key: StoredKey } | RefusedKey;

/** The content of an `Authorization` header: the digest of a secret that may be a key, or why it cannot be one. */
export type Credential = { readonly kind: 'secret'; readonly digest: string } | RefusedKey;

/**
 * A revoked key is refused everywhere within a second, so a key is trusted for no longer than this after it was read,
 * or after the store was last seen unchanged.
 */
const TRUST_MS = 500;
const CACHED_MAX = 20_000;
const BEARER = /^Bearer +([^\s,]+) *$/i;

const MISSING: RefusedKey = {
  kind: 'refused',
  code: 'missing_key',
  message: 'no key was sent; send the header `Authorization: Bearer <key>`',
};
const INVALID: RefusedKey = {
  kind: 'refused',
  code: 'invalid_key',
  message: 'the key is not known; check for a typing mistake or make a new one',
};

export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

export function credentialOf(header: string | undefined): Credential {
  if (header === undefined) return MISSING;
  const secret = BEARER.exec(header)?.[1];
  if (secret === undefined) return /^bearer\b/i.test(header) ? INVALID : MISSING;
  return kindOfSecret(secret) === null ? INVALID : { kind: 'secret', digest: hashOfSecret(secret) };
}

export class Authenticator {
  readonly #store: Pick<WorkspacesAndKeys, 'findKey' | 'touchKeys'>;
  readonly #cache = new Map<string, { readonly key: StoredKey; readonly readAtMs: number }>();
  readonly #reading = new Map<
    string,
    { readonly key: Promise<StoredKey | null>; readonly readAtMs: number }
  >();
  /** INVARIANT: the longest waiting comes first, so that each has its turn. */
  readonly #uses = new Map<string, number>();
  #unchangedAtMs = 0;
  #timesForgotten = 0;

  constructor(store: Pick<WorkspacesAndKeys, 'findKey' | 'touchKeys'>) {
    this.#store = store;
  }

  /** Returns a promise only for a key not seen within the last half second. */
  authenticate(credential: Credential, nowMs: number): Authentication | Promise<Authentication> {
    if (credential.kind === 'refused') return credential;
    const { digest } = credential;
    const cached = this.#cache.get(digest);
    if (cached === undefined) return this.#lookUp(digest, nowMs);
    // The age comes from the monotonic clock: a wall clock set back must not keep a revoked key alive.
    const knownAtMs = Math.max(cached.readAtMs, this.#unchangedAtMs);
    return performance.now() - knownAtMs < TRUST_MS
      ? this.#judge(cached.key, nowMs)
      : this.#lookUp(digest, nowMs);
  }

  async #lookUp(digest: string, nowMs: number): Promise<Authentication> {
    const timesForgotten = this.#timesForgotten;
    const { key: reading, readAtMs } = this.#read(digest);
    const key = await reading;
    if (key === null || !timingSafeEqual(Buffer.from(key.hash), Buffer.from(digest))) return INVALID;
    // INVARIANT: a key read before a change is not kept after it, because that change is not announced again.
    if (timesForgotten === this.#timesForgotten) {
      if (this.#cache.size >= CACHED_MAX) this.#cache.clear();
      this.#cache.set(digest, { key, readAtMs });
    }
    return this.#judge(key, nowMs);
  }

  /** Concurrent requests share one read, which is no older than what the cache may serve. */
  #read(digest: string): { readonly key: Promise<StoredKey | null>; readonly readAtMs: number } {
    const readAtMs = performance.now();
    const before = this.#reading.get(digest);
    if (before !== undefined && readAtMs - before.readAtMs < TRUST_MS) return before;
    const reading = { key: this.#store.findKey(digest), readAtMs };
    const forget = (): void => {
      if (this.#reading.get(digest) === reading) this.#reading.delete(digest);
    };
    reading.key.then(forget, forget);
    this.#reading.set(digest, reading);
    return reading;
  }

  #judge(key: StoredKey, nowMs: number): Authentication {
    if (key.revokedAtMs !== null) {
      return { kind: 'refused', code: 'key_revoked', message: `the key \`${key.hint}\` was revoked` };
    }
    if (key.expiresAtMs !== null && key.expiresAtMs <= nowMs) {
      return { kind: 'refused', code: 'key_expired', message: `the key \`${key.hint}\` has expired` };
    }
    this.#uses.set(key.id, nowMs);
    return { kind: 'key', key };
  }

  /** The store was seen unchanged since the last change announced here. */
  unchanged(atMs: number): void {
    this.#unchangedAtMs = atMs;
  }

  /** After a change, the next request reads the store. */
  forgetAll(): void {
    this.#timesForgotten += 1;
    this.#cache.clear();
    this.#reading.clear();
  }

  /** Writes last uses, at most this many at a time. Failed ones are retried with the next flush. */
  async flushUses(most = Number.POSITIVE_INFINITY): Promise<void> {
    const uses: { readonly keyId: string; readonly atMs: number }[] = [];
    for (const [keyId, atMs] of this.#uses) {
      if (uses.length === most) break;
      uses.push({ keyId, atMs });
      this.#uses.delete(keyId);
    }
    if (uses.length === 0) return;
    try {
      await this.#store.touchKeys(uses);
    } catch (error) {
      for (const { keyId, atMs } of uses) {
        if (!this.#uses.has(keyId)) this.#uses.set(keyId, atMs);
      }
      throw error;
    }
  }
}
