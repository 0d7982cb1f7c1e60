/**
 * Guesses that the idempotency keys of a commit are new, as nearly all are, so that nobody has to look for each of them:
 * a key that is there after all is met when it is written.
 */
import {
  type Admissible,
  type AdmittedGroup,
  type AdmittedRequest,
  admit,
  type Candidate,
  type Known,
} from './admit.ts';

/** Whoever repeats a request repeats others too: so many commits look for their keys after one that guessed wrong. */
const LOOKED_FOR_AFTER = 64;

/** Thrown where a key is written that is there: nothing of its commit may stay. */
export class KeyIsThere extends Error {}

export interface GuessedGroup<Entry> extends AdmittedGroup<Entry> {
  /** Whether nobody has looked for its keys: then a key that is there must not be written over. */
  readonly isGuess: boolean;
}

export class GuessedKeys {
  readonly #known: Known;
  readonly #asIfNew: Known;
  #lookFor = 0;

  constructor(known: Known) {
    this.#known = known;
    this.#asIfNew = { ...known, answer: () => undefined };
  }

  /**
   * INVARIANT: a guess stands only if every request with a key is recorded, since only then its key is written. Any
   * other might have to be answered as its twin was.
   */
  admit<Entry extends Admissible>(requests: readonly Candidate<Entry>[]): GuessedGroup<Entry> {
    if (this.#lookFor === 0) {
      const guessed = admit(requests, this.#asIfNew);
      if (requests.every(({ idempotency }, i) => idempotency === null || isRecorded(guessed.requests[i]!)))
        return { ...guessed, isGuess: true };
      this.#lookFor = LOOKED_FOR_AFTER;
    }
    this.#lookFor -= 1;
    return { ...admit(requests, this.#known), isGuess: false };
  }

  /** Runs a commit, which admits its requests here, and once more if its guess was wrong. */
  commit<Value>(attempt: () => Value): Value {
    try {
      return attempt();
    } catch (thrown) {
      if (!(thrown instanceof KeyIsThere)) throw thrown;
      this.#lookFor = LOOKED_FOR_AFTER;
      return attempt();
    }
  }
}

function isRecorded(request: AdmittedRequest<unknown>): boolean {
  return request.kind === 'done' && request.entries.some(({ kind }) => kind === 'admitted');
}
