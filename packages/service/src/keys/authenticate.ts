/** From an `Authorization` header to the key that sent it, or to the reason why not. */
import { hash, timingSafeEqual } from 'node:crypto';
import type { StoredKey, WorkspacesAndKeys } from '../store/port.ts';
import { kindOfSecret } from './key-format.ts';

export type Authentication =
  | { readonly kind: 'key'; readonly key: StoredKey }
  | {
      readonly kind: 'refused';
      readonly code: 'missing_key' | 'invalid_key' | 'key_revoked' | 'key_expired';
      readonly message: string;
    };

/** A revoked key is refused everywhere within a second, so nothing read from the store is believed for longer. */
const TRUST_MS = 500;
const MOST_CACHED = 20_000;
const BEARER = /^Bearer +([^\s,]+) *$/i;

const MISSING: Authentication = {
  kind: 'refused',
  code: 'missing_key',
  message: 'no key was sent; send the header `Authorization: Bearer <key>`',
};
const INVALID: Authentication = {
  kind: 'refused',
  code: 'invalid_key',
  message: 'the key is not known; check for a typing mistake or make a new one',
};

export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** The digest of the secret in an `Authorization` header, or why there is none. */
export function digestOfHeader(header: string | undefined): string | Authentication {
  if (header === undefined) return MISSING;
  const secret = BEARER.exec(header)?.[1];
  if (secret === undefined) return /^bearer\b/i.test(header) ? INVALID : MISSING;
  return kindOfSecret(secret) === null ? INVALID : hashOfSecret(secret);
}

export class Authenticator {
  readonly #store: Pick<WorkspacesAndKeys, 'findKey' | 'touchKeys'>;
  readonly #cache = new Map<string, { readonly key: StoredKey; readonly readAtMs: number }>();
  readonly #reading = new Map<
    string,
    { readonly key: Promise<StoredKey | null>; readonly readAtMs: number }
  >();
  #uses = new Map<string, number>();

  constructor(store: Pick<WorkspacesAndKeys, 'findKey' | 'touchKeys'>) {
    this.#store = store;
  }

  /** Answers at once for a key seen within the last half second. */
  authenticate(header: string | undefined, nowMs: number): Authentication | Promise<Authentication> {
    const digest = digestOfHeader(header);
    return typeof digest === 'string' ? this.authenticateDigest(digest, nowMs) : digest;
  }

  /** For a caller whose header is known to be the one it sent before, and so need not be hashed again. */
  authenticateDigest(digest: string, nowMs: number): Authentication | Promise<Authentication> {
    const cached = this.#cache.get(digest);
    // The age is taken from the monotonic clock: a wall clock set back must not keep a revoked key alive.
    if (cached !== undefined && performance.now() - cached.readAtMs < TRUST_MS) {
      return this.#judge(cached.key, nowMs);
    }
    return this.#lookUp(digest, nowMs);
  }

  async #lookUp(digest: string, nowMs: number): Promise<Authentication> {
    const { key: reading, readAtMs } = this.#read(digest);
    const key = await reading;
    if (key === null || !timingSafeEqual(Buffer.from(key.hash), Buffer.from(digest))) return INVALID;
    if (this.#cache.size >= MOST_CACHED) this.#cache.clear();
    this.#cache.set(digest, { key, readAtMs });
    return this.#judge(key, nowMs);
  }

  /** Requests that come at the same time share one look, which is no older than what is believed from memory. */
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

  /** After a change made by this process: the next request reads the store. */
  forgetAll(): void {
    this.#cache.clear();
    this.#reading.clear();
  }

  /** Writes last uses down, many at a time. What cannot be written is tried again with the next. */
  async flushUses(): Promise<void> {
    const uses = this.#uses;
    if (uses.size === 0) return;
    this.#uses = new Map();
    try {
      await this.#store.touchKeys([...uses].map(([keyId, atMs]) => ({ keyId, atMs })));
    } catch (error) {
      for (const [keyId, atMs] of uses) {
        if (!this.#uses.has(keyId)) this.#uses.set(keyId, atMs);
      }
      throw error;
    }
  }
}
