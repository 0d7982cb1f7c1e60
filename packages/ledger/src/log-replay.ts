/** Rebuilds one log's tree from exported leaf hashes and compares it with every known checkpoint of that log. */
import type { Checkpoint } from './checkpoint.ts';
import { Frontier } from './frontier.ts';
import { type Sha256, sameBytes } from './sha256.ts';

export interface ReplayFault {
  readonly code:
    | 'wrong_index'
    | 'root_mismatch'
    | 'rolled_back'
    | 'forked'
    | 'misplaced_checkpoint'
    | 'incomplete';
  readonly message: string;
  /** The entry at which it was found. */
  readonly index?: number;
}

function forked(size: number): ReplayFault {
  return {
    code: 'forked',
    message: `forked: two different logs of ${size} entries are signed`,
  };
}

export class LogReplay {
  readonly #end: Checkpoint;
  readonly #frontier: Frontier;
  /** How many entries the log begins with that are not replayed. */
  readonly since: number;
  /**
   * Roots that the tree must have along the way, by size. Only the few checkpoints known in advance, so memory stays
   * constant.
   */
  readonly #expected = new Map<number, Uint8Array>();
  #provenSize = 0;

  /** `begun` is the tree of the entries that are not replayed. INVARIANT: `start` compares it with what was expected. */
  constructor(end: Checkpoint, hash: Sha256, begun = new Frontier(hash)) {
    this.#end = end;
    this.#frontier = begun;
    this.since = begun.size;
    this.#expected.set(end.size, end.root);
  }

  /** Takes a checkpoint that somebody kept, before the first entry. One from before the begin is never compared. */
  expect(known: Checkpoint): ReplayFault | null {
    if (known.size > this.#end.size) {
      const message = `rolled back: a checkpoint of ${known.size} entries is known, the export ends at ${this.#end.size}`;
      return { code: 'rolled_back', message };
    }
    const other = this.#expected.get(known.size);
    if (other !== undefined && !sameBytes(other, known.root)) {
      return forked(known.size);
    }
    this.#expected.set(known.size, known.root);
    return null;
  }

  /** The checks that need no entry: the tree it begins with has a root too, even an empty one. */
  start(): ReplayFault | null {
    return this.#compare(this.#expected.get(this.#frontier.size));
  }

  append(index: number, leafHash: Uint8Array): ReplayFault | null {
    const expected = this.#frontier.size;
    if (index !== expected) {
      const message = `entry ${index} appears in place of entry ${expected}: entries are missing, doubled or swapped`;
      return { code: 'wrong_index', message, index };
    }
    if (index >= this.#end.size) {
      return { code: 'wrong_index', message: `the checkpoint covers only ${this.#end.size} entries`, index };
    }
    this.#frontier.append(leafHash);
    return this.#compare(this.#expected.get(this.#frontier.size));
  }

  /** A checkpoint among the entries covers exactly those before it. */
  checkHere(checkpoint: Checkpoint): ReplayFault | null {
    if (checkpoint.size !== this.#frontier.size) {
      const message = `a checkpoint of ${checkpoint.size} entries stands after ${this.#frontier.size}`;
      return { code: 'misplaced_checkpoint', message };
    }
    return this.#compare(checkpoint.root);
  }

  finish(): ReplayFault | null {
    if (this.#frontier.size === this.#end.size) return null;
    const message = `only ${this.#frontier.size} of the ${this.#end.size} entries are there`;
    return { code: 'incomplete', message };
  }

  #compare(root: Uint8Array | undefined): ReplayFault | null {
    if (root === undefined) return null;
    const { size } = this.#frontier;
    if (sameBytes(this.#frontier.root(), root)) {
      this.#provenSize = size;
      return null;
    }
    if (size > 0 && size === this.#provenSize) return forked(size);
    const message =
      size === 0
        ? 'the checkpoint of the empty log has another root'
        : `the first ${size} entries are not those that were signed; the difference lies between entries ${this.#provenSize} and ${size - 1}`;
    return { code: 'root_mismatch', message, ...(size > 0 && { index: size - 1 }) };
  }
}
