/** The response of a decision, which nobody can read until the decision is durable. */
import { withLimits } from '@writecheck/contract';
import type { Committed } from '@writecheck/store/port';

/**
 * A decision's response before its record is durable. INVARIANT: the text is released only against proof that this
 * very decision was committed, so an allow without a record cannot be written.
 */
export class DraftAnswer {
  readonly #decisionId: string;
  readonly #text: string;
  /** The limits in JSON, as the text shows them. */
  readonly #limits: string;

  constructor(decisionId: string, text: string, limits = '') {
    this.#decisionId = decisionId;
    this.#text = text;
    this.#limits = limits;
  }

  release(committed: Committed): string {
    if (committed.kind !== 'committed' || committed.decisionId !== this.#decisionId) {
      throw new Error('a response was about to be sent for a decision that was not committed');
    }
    // INVARIANT: the response says what the record says, also if counters moved since it was decided.
    return committed.limits === undefined
      ? this.#text
      : withLimits(this.#text, this.#limits, committed.limits.states);
  }
}
