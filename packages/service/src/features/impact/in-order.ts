/** Puts what several writers recorded into one order: by timestamp, then log, then index. */
import { LATENESS_MS_MAX } from '@writecheck/store/commit/lateness';

export interface Ordered {
  readonly atMs: number;
  readonly log: string;
  readonly position: number;
}

/** Sorting for every segment would sort the same items again and again. */
const RELEASED_EVERY_MS = 1_000;

/** Holds items until no older one can follow. */
export class InOrder<Item extends Ordered> {
  #waiting: Item[] = [];
  #releasedMs = Number.NEGATIVE_INFINITY;

  add(item: Item): void {
    this.#waiting.push(item);
  }

  /** `latestMs` is that of the segment read last. Returns what is older than anything that may follow. */
  release(latestMs: number): readonly Item[] {
    const beforeMs = latestMs - 2 * LATENESS_MS_MAX;
    if (beforeMs < this.#releasedMs + RELEASED_EVERY_MS) return [];
    this.#releasedMs = beforeMs;
    return this.#take(beforeMs);
  }

  releaseAll(): readonly Item[] {
    return this.#take(Number.POSITIVE_INFINITY);
  }

  #take(beforeMs: number): readonly Item[] {
    const sorted = this.#waiting.sort(
      (a, b) => a.atMs - b.atMs || (a.log === b.log ? a.position - b.position : a.log < b.log ? -1 : 1),
    );
    const end = sorted.findIndex(({ atMs }) => atMs >= beforeMs);
    const split = end === -1 ? sorted.length : end;
    this.#waiting = sorted.slice(split);
    return sorted.slice(0, split);
  }
}
