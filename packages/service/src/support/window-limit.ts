/** Counts events per subject in fixed windows, in memory of a fixed size that the threads of one service share. */
import { hash, randomFillSync } from 'node:crypto';

export interface RateTaken {
  readonly admitted: boolean;
  readonly remaining: number;
  readonly resetsInMs: number;
}

interface Window {
  readonly count: number;
  readonly startedMs: number;
}

/** A flood of addresses must not fill the memory: in a full bucket, a new subject takes the place of the oldest. */
const SUBJECTS_MAX = 65_536;
const BUCKET = 8;
const WORD_BYTES = BigUint64Array.BYTES_PER_ELEMENT;
/** A window is one word: 42 bits for the millisecond in which it started, and these for the count. */
const COUNT_BITS = 22n;
const COUNT_MAX = 2 ** Number(COUNT_BITS) - 1;

/**
 * One limit's memory: a random word, so that nobody can choose colliding subjects, then a tag and a window for each
 * subject.
 */
export function limitMemory(subjects = SUBJECTS_MAX): SharedArrayBuffer {
  const memory = new SharedArrayBuffer((1 + 2 * subjects) * WORD_BYTES);
  randomFillSync(new Uint8Array(memory, 0, WORD_BYTES));
  return memory;
}

/**
 * INVARIANT: a count only changes by comparing and exchanging one word, so threads together admit exactly the limit,
 * and a thread that dies leaves nothing locked.
 */
export class WindowLimit {
  readonly limit: number;
  readonly windowMs: number;
  readonly #salt: Uint8Array;
  readonly #tags: BigUint64Array;
  readonly #windows: BigUint64Array;

  constructor(limit: number, windowMs: number, memory = limitMemory()) {
    this.limit = Math.min(limit, COUNT_MAX);
    this.windowMs = windowMs;
    const subjects = (memory.byteLength / WORD_BYTES - 1) / 2;
    this.#salt = new Uint8Array(memory, 0, WORD_BYTES);
    this.#tags = new BigUint64Array(memory, WORD_BYTES, subjects);
    this.#windows = new BigUint64Array(memory, (1 + subjects) * WORD_BYTES, subjects);
  }

  /** Counts one event of the subject; a refused event is not counted. */
  take(subject: string, nowMs: number): RateTaken {
    return this.#count(subject, 1, nowMs, this.limit);
  }

  /** Whether one more event would be admitted, without counting it. */
  peek(subject: string, nowMs: number): RateTaken {
    return this.#count(subject, 0, nowMs, this.limit);
  }

  /** Counts events that were admitted together as one: the window lasts as long as they would have taken. */
  charge(subject: string, events: number, nowMs: number): void {
    this.#count(subject, events, nowMs, COUNT_MAX);
  }

  #count(subject: string, events: number, nowMs: number, max: number): RateTaken {
    for (;;) {
      const slot = this.#slotOf(subject, nowMs);
      const word = Atomics.load(this.#windows, slot);
      const { count, startedMs } = this.#running(word, nowMs) ?? { count: 0, startedMs: nowMs };
      const admitted = count < max;
      const counted = admitted ? Math.min(count + events, COUNT_MAX) : count;
      const window = { count: counted, startedMs };
      const isUnchanged = events === 0 || !admitted;
      if (isUnchanged || Atomics.compareExchange(this.#windows, slot, word, wordOf(window)) === word)
        return { admitted, ...this.#left(window, nowMs) };
    }
  }

  /** The subject's place, which it takes if it has none. */
  #slotOf(subject: string, nowMs: number): number {
    const digest = hash('sha256', Buffer.concat([this.#salt, Buffer.from(subject)]), 'buffer');
    const tag = digest.readBigUInt64LE(0) | 1n;
    const first = (digest.readUInt32LE(8) % (this.#tags.length / BUCKET)) * BUCKET;
    for (;;) {
      let oldest = first;
      for (let slot = first; slot < first + BUCKET; slot += 1) {
        if (Atomics.load(this.#tags, slot) === tag) return slot;
        if (this.#ageRank(slot, nowMs) < this.#ageRank(oldest, nowMs)) oldest = slot;
      }
      const before = Atomics.load(this.#tags, oldest);
      // INVARIANT: a place that another thread has just taken for this subject keeps what was counted there.
      if (before === tag) return oldest;
      const window = Atomics.load(this.#windows, oldest);
      if (Atomics.compareExchange(this.#tags, oldest, before, tag) !== before) continue;
      Atomics.compareExchange(this.#windows, oldest, window, 0n);
      return oldest;
    }
  }

  /** A window that is over comes before every running one. */
  #ageRank(slot: number, nowMs: number): number {
    return this.#running(Atomics.load(this.#windows, slot), nowMs)?.startedMs ?? -1;
  }

  #running(word: bigint, nowMs: number): Window | null {
    const window = { count: Number(word & BigInt(COUNT_MAX)), startedMs: Number(word >> COUNT_BITS) };
    // A clock set back ends the window too; otherwise a subject could stay refused for long. A slightly earlier
    // time is only another thread, whose request began before.
    const isSetBack = nowMs < window.startedMs - this.windowMs;
    return window.count === 0 || nowMs >= this.#endMs(window) || isSetBack ? null : window;
  }

  #endMs({ count, startedMs }: Window): number {
    return startedMs + this.windowMs * Math.max(1, count / this.limit);
  }

  #left(window: Window, nowMs: number): Pick<RateTaken, 'remaining' | 'resetsInMs'> {
    return { remaining: Math.max(0, this.limit - window.count), resetsInMs: this.#endMs(window) - nowMs };
  }
}

function wordOf({ count, startedMs }: Window): bigint {
  return (BigInt(Math.max(0, Math.floor(startedMs))) << COUNT_BITS) | BigInt(count);
}
