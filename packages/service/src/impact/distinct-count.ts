/** Counts distinct values: exactly up to a limit, then by an estimate in fixed memory. */
import { HashTable } from './hash-table.ts';
import type { Hashed } from './hashed.ts';
import { HyperLogLog } from './hyper-log-log.ts';

/** How many digests a run counts exactly. */
export const EXACT_MAX = 1_000_000;
/** Below this an exact count takes less memory than an estimate. */
const SMALL_MAX = 4_096;

/** Shared by all counts of a run: from the moment one must be estimated, all large ones are. */
export interface Exactness {
  isOver: boolean;
}

export class DistinctCount {
  readonly #exactness: Exactness;
  #exact: HashTable | null = new HashTable();
  #estimate: HyperLogLog | null = null;

  constructor(exactness: Exactness) {
    this.#exactness = exactness;
  }

  add(hashed: Hashed): void {
    if (this.#exact !== null) {
      this.#exact.add(hashed, 1);
      if (!this.#exactness.isOver || this.#exact.size <= SMALL_MAX) return;
      const estimate = new HyperLogLog();
      this.#exact.visit((high, low) => estimate.add(high, low));
      this.#exact = null;
      this.#estimate = estimate;
      return;
    }
    this.#estimate!.add(hashed.high, hashed.low);
  }

  get count(): number {
    return this.#exact?.size ?? this.#estimate!.count;
  }
}

/** Counts distinct digests in several cells; a digest may be in more than one. */
export class CellCounts {
  readonly #exactness: Exactness;
  readonly #exactMax: number;
  readonly #counts: number[];
  #table: HashTable | null = new HashTable();
  #estimates: readonly HyperLogLog[] = [];

  /** At most 32 cells. */
  constructor(cells: number, exactness: Exactness, exactMax = EXACT_MAX) {
    this.#exactness = exactness;
    this.#exactMax = exactMax;
    this.#counts = Array<number>(cells).fill(0);
  }

  /** `bits` has one bit for each cell that the digest is in. */
  add(digest: Hashed, bits: number): void {
    if (this.#table !== null && this.#table.size >= this.#exactMax && !this.#table.has(digest))
      this.#beginToEstimate(this.#table);
    if (this.#table === null) {
      this.#estimateIn(digest.high, digest.low, bits);
      return;
    }
    const added = this.#table.add(digest, bits);
    if (added === 0) return;
    for (let cell = 0; cell < this.#counts.length; cell += 1) {
      if ((added >>> cell) & 1) this.#counts[cell]! += 1;
    }
  }

  count(cell: number): number {
    return this.#table === null ? this.#estimates[cell]!.count : this.#counts[cell]!;
  }

  #beginToEstimate(table: HashTable): void {
    this.#exactness.isOver = true;
    this.#estimates = this.#counts.map(() => new HyperLogLog());
    table.visit((high, low, mark) => this.#estimateIn(high, low, mark));
    this.#table = null;
  }

  #estimateIn(high: number, low: number, bits: number): void {
    for (let cell = 0; cell < this.#counts.length; cell += 1) {
      if ((bits >>> cell) & 1) this.#estimates[cell]!.add(high, low);
    }
  }
}
