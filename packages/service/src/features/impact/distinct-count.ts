/** Counts distinct values: exactly up to a limit, then by a sample in bounded memory. */
import { hash } from 'node:crypto';

/** How many digests a run counts exactly. */
const EXACT_MAX = 1_000_000;
/** A sample keeps at least half of this, so its standard error is 0.5 %; an error of 2 % is four times as much. */
const SAMPLE_MAX = 2 ** 16;

const HASH_DIGITS = 13;
const HASH_END = 16 ** HASH_DIGITS;
const PREFIX = 'sha256:';

/** A number that stands for a text. A million texts have a million numbers in all but one run of nine thousand. */
export function hashOf(text: string): number {
  return hashOfDigest(hash('sha256', text));
}

/** Takes a digest with or without its prefix. */
export function hashOfDigest(digest: string): number {
  const at = digest.startsWith(PREFIX) ? PREFIX.length : 0;
  return Number.parseInt(digest.slice(at, at + HASH_DIGITS), 16);
}

/** Shared by all counts of a run: from the moment one must be estimated, all large ones are. */
export class Exactness {
  readonly #digests = new Set<number>();
  readonly #max: number;
  isOver = false;

  constructor(max = EXACT_MAX) {
    this.#max = max;
  }

  /** Called with the digest of everything that is counted. */
  note(digest: number): void {
    if (this.isOver) return;
    this.#digests.add(digest);
    this.isOver = this.#digests.size > this.#max;
    if (this.isOver) this.#digests.clear();
  }
}

export class DistinctCount {
  readonly #exactness: Exactness;
  readonly #hashes = new Set<number>();
  /** Each hash that is kept stands for this many: a sample keeps those below `HASH_END` divided by it. */
  #each = 1;

  constructor(exactness: Exactness) {
    this.#exactness = exactness;
  }

  add(hashed: number): void {
    if (!this.#isKept(hashed)) return;
    this.#hashes.add(hashed);
    while (this.#exactness.isOver && this.#hashes.size > SAMPLE_MAX) {
      this.#each *= 2;
      for (const known of this.#hashes) if (!this.#isKept(known)) this.#hashes.delete(known);
    }
  }

  get count(): number {
    return this.#hashes.size * this.#each;
  }

  #isKept(hashed: number): boolean {
    return hashed * this.#each < HASH_END;
  }
}
