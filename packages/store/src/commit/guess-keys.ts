/**
 * Guesses that the idempotency keys of a commit are new, as nearly all are, which saves a lookup of each; an existing
 * key is detected when it is written.
 */
import { type Admissible, type AdmittedGroup, admit, type Known } from './admit.ts';

/** A caller that repeats one request often repeats others, so many commits look up their keys after a wrong guess. */
const LOOKUPS_AFTER_WRONG_GUESS = 64;

/** Thrown if a key that is written already exists: nothing of its commit may stay. */
export class KeyExists extends Error {}

export interface GuessedGroup<Request> extends AdmittedGroup<Request> {
  /** Whether its keys were not looked up: then an existing key must not be overwritten. */
  readonly isGuess: boolean;
}

export class GuessedKeys {
  readonly #known: Known;
  readonly #asIfNew: Known;
  /** How many of the next commits look up their keys. */
  #lookupsLeft = 0;

  constructor(known: Known) {
    this.#known = known;
    this.#asIfNew = { ...known, answer: () => undefined };
  }

  /**
   * INVARIANT: a guess stands only if every request with a key is recorded, because only then its key is written.
   * Any other request might need the response of its twin.
   */
  admit<Request extends Admissible>(requests: readonly Request[]): GuessedGroup<Request> {
    if (this.#lookupsLeft === 0) {
      const guessed = admit(requests, this.#asIfNew);
      if (
        requests.every(
          ({ idempotency }, i) => idempotency === null || guessed.requests[i]!.kind === 'admitted',
        )
      )
        return { ...guessed, isGuess: true };
      this.#lookupsLeft = LOOKUPS_AFTER_WRONG_GUESS;
    }
    this.#lookupsLeft -= 1;
    return { ...admit(requests, this.#known), isGuess: false };
  }

  /** Runs a commit, which admits its requests here, and once more if its guess was wrong. */
  commit<Value>(attempt: () => Value): Value {
    try {
      return attempt();
    } catch (thrown) {
      if (!(thrown instanceof KeyExists)) throw thrown;
      this.#lookupsLeft = LOOKUPS_AFTER_WRONG_GUESS;
      return attempt();
    }
  }
}
