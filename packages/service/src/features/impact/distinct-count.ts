/** Counts distinct values: exactly up to a limit, then by a sample in bounded memory. */
import { HashTable } from './hash-table.ts';
import type { Hashed } from './hashed.ts';

/** How many digests a run counts exactly. */
const EXACT_MAX = 1_000_000;
/** A sample keeps at least half of this, so its standard error is 0.5 %; an error of 2 % is four times as much. */
const SAMPLE_MAX = 2 ** 16;

/** Shared by all counts of a run: from the moment one must be estimated, all large ones are. */
export interface Exactness {
  isOver: boolean;
}

/**
 * Counts distinct hashes. A sample keeps those that begin with `zeroBits` zeros; each stands for 2 ** `zeroBits`
 * values.
 */
export class DistinctCount {
  readonly #exactness: Exactness;
  #table = new HashTable();
  #zeroBits = 0;

  constructor(exactness: Exactness) {
    this.#exactness = exactness;
  }

  add(hashed: Hashed): void {
    if (!this.#isSampled(hashed.high)) return;
    this.#table.add(hashed, 1);
    if (!this.#exactness.isOver) return;
    while (this.#table.size > SAMPLE_MAX) {
      this.#zeroBits += 1;
      const all = this.#table;
      this.#table = new HashTable();
      all.visit((high, low) => {
        if (this.#isSampled(high)) this.#table.add({ high, low }, 1);
      });
    }
  }

  get count(): number {
    return this.#table.size * 2 ** this.#zeroBits;
  }

  #isSampled(high: number): boolean {
    return Math.clz32(high) >= this.#zeroBits;
  }
}

/** Counts distinct digests in several cells; a digest may be in more than one. */
export class CellCounts {
  readonly #exactness: Exactness;
  readonly #exactMax: number;
  readonly #counts: number[];
  #table: HashTable | null = new HashTable();
  #samples: readonly DistinctCount[] = [];

  /** `cells` is at most 32. */
  constructor(cells: number, exactness: Exactness, exactMax = EXACT_MAX) {
    this.#exactness = exactness;
    this.#exactMax = exactMax;
    this.#counts = Array<number>(cells).fill(0);
  }

  /** `bits` has one bit for each cell that the digest is in. */
  add(digest: Hashed, bits: number): void {
    if (this.#table !== null && this.#table.size >= this.#exactMax && !this.#table.has(digest))
      this.#beginToSample(this.#table);
    if (this.#table === null) {
      this.#sample(digest, bits);
      return;
    }
    const added = this.#table.add(digest, bits);
    if (added === 0) return;
    for (let cell = 0; cell < this.#counts.length; cell += 1) {
      if ((added >>> cell) & 1) this.#counts[cell]! += 1;
    }
  }

  count(cell: number): number {
    return this.#table === null ? this.#samples[cell]!.count : this.#counts[cell]!;
  }

  #beginToSample(table: HashTable): void {
    this.#exactness.isOver = true;
    this.#samples = this.#counts.map(() => new DistinctCount(this.#exactness));
    table.visit((high, low, mark) => this.#sample({ high, low }, mark));
    this.#table = null;
  }

  #sample(digest: Hashed, bits: number): void {
    for (let cell = 0; cell < this.#counts.length; cell += 1) {
      if ((bits >>> cell) & 1) this.#samples[cell]!.add(digest);
    }
  }
}
