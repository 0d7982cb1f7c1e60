/**
 * The newest allows, in memory that the threads of one service share: most outcomes are reported soon, by the
 * key that asked, to any thread, and need not be looked up in the log.
 */
import { hash } from 'node:crypto';

/** A later allow takes the place of an earlier one, which then is looked up: 2 MB. */
const PLACES = 2 ** 16;
const PLACE_DIGITS = 4;
/** A version, then the decision and the key. */
const ID_WORDS = 4;
const PLACE_WORDS = 1 + 2 * ID_WORDS;
const DECISION_ID = /^dec_[0-9a-f]{32}$/;

export function recentMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(PLACES * PLACE_WORDS * Int32Array.BYTES_PER_ELEMENT);
}

/** INVARIANT: it holds what was committed, and says nothing about what happened since; the caller must check that. */
export class RecentAllows {
  readonly #words: Int32Array;
  readonly #digests = new Map<string, Int32Array>();

  constructor(memory = recentMemory()) {
    this.#words = new Int32Array(memory);
  }

  /** Notes that this key got this allow. */
  add(decisionId: string, keyId: string): void {
    const at = placeOf(decisionId);
    const version = Atomics.load(this.#words, at);
    // An odd version is being written; an allow that is not noted is looked up.
    if (isOdd(version) || Atomics.compareExchange(this.#words, at, version, version + 1) !== version) return;
    const digest = this.#digestOf(keyId);
    const id = wordsOf(decisionId);
    for (let i = 0; i < ID_WORDS; i += 1) {
      Atomics.store(this.#words, at + 1 + i, id[i]!);
      Atomics.store(this.#words, at + 1 + ID_WORDS + i, digest[i]!);
    }
    Atomics.store(this.#words, at, version + 2);
  }

  /**
   * Whether this key is known to have been allowed. INVARIANT: never true for another key: the version shows
   * that nobody wrote during the read.
   */
  has(decisionId: string, keyId: string): boolean {
    if (!DECISION_ID.test(decisionId)) return false;
    const at = placeOf(decisionId);
    const version = Atomics.load(this.#words, at);
    const digest = this.#digestOf(keyId);
    const id = wordsOf(decisionId);
    for (let i = 0; i < ID_WORDS; i += 1) {
      if (Atomics.load(this.#words, at + 1 + i) !== id[i]) return false;
      if (Atomics.load(this.#words, at + 1 + ID_WORDS + i) !== digest[i]) return false;
    }
    return !isOdd(version) && Atomics.load(this.#words, at) === version;
  }

  /** A workspace has few keys, and each is hashed once. */
  #digestOf(keyId: string): Int32Array {
    let digest = this.#digests.get(keyId);
    if (digest === undefined) {
      if (this.#digests.size >= PLACES) this.#digests.clear();
      digest = wordsIn(hash('sha256', keyId)).slice();
      this.#digests.set(keyId, digest);
    }
    return digest;
  }
}

/** Uses the last digits of the id, which are random. */
function placeOf(decisionId: string): number {
  return Number.parseInt(decisionId.slice(-PLACE_DIGITS), 16) * PLACE_WORDS;
}

function wordsOf(decisionId: string): Int32Array {
  return wordsIn(decisionId.slice('dec_'.length));
}

const words = new Int32Array(ID_WORDS);
const bytes = Buffer.from(words.buffer);

/** Valid until the next call. */
function wordsIn(hex: string): Int32Array {
  bytes.write(hex, 'hex');
  return words;
}

function isOdd(version: number): boolean {
  return (version & 1) === 1;
}
