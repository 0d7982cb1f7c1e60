/** Caches what was read from the store, until it is forgotten or for a moment. */
import { timingSafeEqual } from 'node:crypto';

interface PendingRead<T> {
  readonly value: Promise<T>;
  readonly begunMs: number;
}

export class SharedReads<T> {
  readonly #read: (of: string) => Promise<T>;
  readonly #sizeMax: number;
  readonly #sizeOf: (value: NonNullable<T>) => number;
  readonly #kept = new Map<string, NonNullable<T>>();
  readonly #reading = new Map<string, PendingRead<T>>();
  #size = 0;

  /** The entries read first are dropped first. */
  constructor(
    read: (of: string) => Promise<T>,
    sizeMax: number,
    sizeOf: (value: NonNullable<T>) => number = () => 1,
  ) {
    this.#read = read;
    this.#sizeMax = sizeMax;
    this.#sizeOf = sizeOf;
  }

  inMemory(of: string): NonNullable<T> | undefined {
    return this.#kept.get(of);
  }

  allInMemory(): Iterable<readonly [of: string, value: NonNullable<T>]> {
    return this.#kept;
  }

  /** Reads the store's current value. Concurrent callers share a read that began less than this long ago. */
  readAgain(of: string, sharedMs = Number.POSITIVE_INFINITY): Promise<T> {
    const begunMs = performance.now();
    const before = this.#reading.get(of);
    if (before !== undefined && begunMs - before.begunMs < sharedMs) return before.value;
    const reading = { value: this.#read(of), begunMs };
    this.#reading.set(of, reading);
    // INVARIANT: a value read before a change is never kept after it, because that change is not announced
    // again.
    const ended = (keep: () => void): void => {
      if (this.#reading.get(of) !== reading) return;
      this.#reading.delete(of);
      keep();
    };
    reading.value.then(
      (value) => ended(() => this.#keep(of, value)),
      () => ended(() => undefined),
    );
    return reading.value;
  }

  forget(of: string): void {
    this.#drop(of);
    this.#reading.delete(of);
  }

  forgetAll(): void {
    this.#kept.clear();
    this.#reading.clear();
    this.#size = 0;
  }

  #drop(of: string): void {
    const value = this.#kept.get(of);
    if (value === undefined) return;
    this.#kept.delete(of);
    this.#size -= this.#sizeOf(value);
  }

  #keep(of: string, value: T): void {
    this.#drop(of);
    if (value === null || value === undefined) return;
    this.#kept.set(of, value);
    this.#size += this.#sizeOf(value);
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#sizeMax || oldest === of) return;
      this.#drop(oldest);
    }
  }
}

/**
 * A revoked key is refused everywhere within a second, so a row is trusted for no longer than this after it was read,
 * or after the store was last seen unchanged.
 */
const TRUST_MS = 500;
const ROWS_MAX = 20_000;

interface Trusted<Row> {
  readonly row: Row;
  readonly readAtMs: number;
}

/** Rows by the digest of a secret. */
export class TrustedReads<Row extends { readonly hash: string }> {
  readonly #read: (digest: string) => Promise<Trusted<Row> | null>;
  readonly #reads: SharedReads<Trusted<Row> | null>;
  #unchangedAtMs = 0;

  constructor(read: (digest: string) => Promise<Row | null>) {
    this.#read = async (digest) => {
      const readAtMs = performance.now();
      const row = await read(digest);
      const isIt = row !== null && timingSafeEqual(Buffer.from(row.hash), Buffer.from(digest));
      return isIt ? { row, readAtMs } : null;
    };
    this.#reads = new SharedReads(this.#read, ROWS_MAX);
  }

  /** Returns a promise only for a row that is not trusted any more. */
  find(digest: string): Row | Promise<Row | null> {
    const known = this.#reads.inMemory(digest);
    if (known === undefined) return this.findAgain(digest);
    // The age comes from the monotonic clock: a wall clock set back must not keep a revoked key alive.
    const knownAtMs = Math.max(known.readAtMs, this.#unchangedAtMs);
    return performance.now() - knownAtMs < TRUST_MS ? known.row : this.findAgain(digest);
  }

  /** Reads the store whatever is in memory; concurrent requests share a read that is no older than what it may serve. */
  async findAgain(digest: string): Promise<Row | null> {
    return (await this.#reads.readAgain(digest, TRUST_MS))?.row ?? null;
  }

  /** Reads the store, and never shares a read that began earlier. */
  async findNow(digest: string): Promise<Row | null> {
    return (await this.#read(digest))?.row ?? null;
  }

  /** The store was seen unchanged since the last change announced here. */
  unchanged(atMs: number): void {
    this.#unchangedAtMs = atMs;
  }

  /** After a change, the next request reads the store. */
  forgetAll(): void {
    this.#reads.forgetAll();
  }
}
