/** Runs jobs one at a time; the next one is of the owner who has used the least lately, its own cost included. */
import { HOUR_MS } from '@writecheck/contract';

interface Job {
  readonly costMs: number;
  readonly run: () => Promise<void>;
}

/**
 * What an owner used counts half after this much work. It is much, because a large job waits until every owner who keeps
 * asking for small ones has used as much as the large one costs.
 */
const HALF_LIFE_MS = HOUR_MS;
/** An owner who used less is forgotten. */
const FORGOTTEN_MS = 10;

export class FairQueue {
  readonly #clock: () => number;
  /** The waiting jobs of each owner, each list in the order of arrival. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #usedMs = new Map<string, number>();
  #halvedAt: number;
  #isRunning = false;

  /** The clock counts the work done, in milliseconds; without one, the time is the work. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
    this.#halvedAt = clock();
  }

  /** `costMs` is what the job will probably take, so that small jobs go before large ones. */
  run<T>(owner: string, job: () => Promise<T>, costMs = 0): Promise<T> {
    return new Promise((resolve, reject) => {
      const own = this.#waiting.get(owner) ?? [];
      const ask = async () => {
        const startedAt = this.#clock();
        try {
          return await job();
        } finally {
          this.#charge(owner, this.#clock() - startedAt);
        }
      };
      own.push({ costMs, run: () => ask().then(resolve, reject) });
      this.#waiting.set(owner, own);
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    for (;;) {
      const owner = this.#next();
      if (owner === null) break;
      const jobs = this.#waiting.get(owner)!;
      const { run } = jobs.shift()!;
      // An owner with more jobs goes behind the others, which counts if several have used the same.
      this.#waiting.delete(owner);
      if (jobs.length > 0) this.#waiting.set(owner, jobs);
      await run();
    }
    this.#isRunning = false;
  }

  #next(): string | null {
    let next: string | null = null;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const [owner, [first]] of this.#waiting) {
      const ms = (this.#usedMs.get(owner) ?? 0) + first!.costMs;
      if (ms >= leastMs) continue;
      next = owner;
      leastMs = ms;
    }
    return next;
  }

  #charge(owner: string, ms: number): void {
    for (; this.#clock() - this.#halvedAt >= HALF_LIFE_MS; this.#halvedAt += HALF_LIFE_MS) {
      for (const [other, usedMs] of this.#usedMs) {
        if (usedMs < 2 * FORGOTTEN_MS) this.#usedMs.delete(other);
        else this.#usedMs.set(other, usedMs / 2);
      }
    }
    this.#usedMs.set(owner, (this.#usedMs.get(owner) ?? 0) + ms);
  }
}
