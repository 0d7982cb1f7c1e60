/** Rows read by the digest of a secret, and trusted for a moment: as long as the store is seen unchanged. */
import { timingSafeEqual } from 'node:crypto';

/**
 * A revoked key is refused everywhere within a second, so a row is trusted for no longer than this after it was read,
 * or after the store was last seen unchanged.
 */
const TRUST_MS = 500;
const CACHED_MAX = 20_000;

interface Reading<Row> {
  readonly row: Promise<Row | null>;
  readonly readAtMs: number;
}

export class TrustedReads<Row extends { readonly hash: string }> {
  readonly #read: (digest: string) => Promise<Row | null>;
  readonly #cache = new Map<string, { readonly row: Row; readonly readAtMs: number }>();
  readonly #reading = new Map<string, Reading<Row>>();
  #unchangedAtMs = 0;
  #timesForgotten = 0;

  constructor(read: (digest: string) => Promise<Row | null>) {
    this.#read = read;
  }

  /** Returns a promise only for a row that is not trusted any more. */
  find(digest: string): Row | Promise<Row | null> {
    const cached = this.#cache.get(digest);
    if (cached === undefined) return this.findAgain(digest);
    // The age comes from the monotonic clock: a wall clock set back must not keep a revoked key alive.
    const knownAtMs = Math.max(cached.readAtMs, this.#unchangedAtMs);
    return performance.now() - knownAtMs < TRUST_MS ? cached.row : this.findAgain(digest);
  }

  /** Reads the store whatever is cached. */
  async findAgain(digest: string): Promise<Row | null> {
    const timesForgotten = this.#timesForgotten;
    const { row: reading, readAtMs } = this.#share(digest);
    const row = await reading;
    if (row === null || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(digest))) return null;
    // INVARIANT: a row read before a change is not kept after it, because that change is not announced again.
    if (timesForgotten === this.#timesForgotten) {
      if (this.#cache.size >= CACHED_MAX) this.#cache.clear();
      this.#cache.set(digest, { row, readAtMs });
    }
    return row;
  }

  /** Reads the store, and shares no read that began before. */
  async findNow(digest: string): Promise<Row | null> {
    const row = await this.#read(digest);
    return row !== null && timingSafeEqual(Buffer.from(row.hash), Buffer.from(digest)) ? row : null;
  }

  /** Concurrent requests share one read, which is no older than what the cache may serve. */
  #share(digest: string): Reading<Row> {
    const readAtMs = performance.now();
    const before = this.#reading.get(digest);
    if (before !== undefined && readAtMs - before.readAtMs < TRUST_MS) return before;
    const reading = { row: this.#read(digest), readAtMs };
    const forget = (): void => {
      if (this.#reading.get(digest) === reading) this.#reading.delete(digest);
    };
    reading.row.then(forget, forget);
    this.#reading.set(digest, reading);
    return reading;
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
}
