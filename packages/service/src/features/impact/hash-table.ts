/** A set of 64-bit hashes with a few bits for each, in flat arrays: a million take 25 MB. */
import type { Hashed } from './hashed.ts';

const FIRST_SLOTS = 1_024;

export class HashTable {
  #highs = new Uint32Array(FIRST_SLOTS);
  #lows = new Uint32Array(FIRST_SLOTS);
  /** 0 for a free slot. */
  #marks = new Uint32Array(FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Adds bits to a hash's mark, and returns those that it did not have. `bits` is never 0. */
  add(hashed: Hashed, bits: number): number {
    if (this.#size * 2 >= this.#marks.length) this.#grow();
    const slot = this.#slotOf(hashed.high, hashed.low);
    const before = this.#marks[slot]!;
    if (before === 0) {
      this.#highs[slot] = hashed.high;
      this.#lows[slot] = hashed.low;
      this.#size += 1;
    }
    this.#marks[slot] = before | bits;
    return bits & ~before;
  }

  has(hashed: Hashed): boolean {
    return this.#marks[this.#slotOf(hashed.high, hashed.low)] !== 0;
  }

  visit(see: (high: number, low: number, mark: number) => void): void {
    for (let slot = 0; slot < this.#marks.length; slot += 1) {
      const mark = this.#marks[slot]!;
      if (mark !== 0) see(this.#highs[slot]!, this.#lows[slot]!, mark);
    }
  }

  #slotOf(high: number, low: number): number {
    const last = this.#marks.length - 1;
    let slot = (low >>> 0) & last;
    while (this.#marks[slot] !== 0 && (this.#highs[slot] !== high || this.#lows[slot] !== low))
      slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const [highs, lows, marks] = [this.#highs, this.#lows, this.#marks];
    this.#highs = new Uint32Array(highs.length * 2);
    this.#lows = new Uint32Array(highs.length * 2);
    this.#marks = new Uint32Array(highs.length * 2);
    for (let from = 0; from < marks.length; from += 1) {
      if (marks[from] === 0) continue;
      const slot = this.#slotOf(highs[from]!, lows[from]!);
      this.#highs[slot] = highs[from]!;
      this.#lows[slot] = lows[from]!;
      this.#marks[slot] = marks[from]!;
    }
  }
}
