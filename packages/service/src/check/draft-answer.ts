/** The response of a decision, which nobody can read until the decision is durable. */
import { withLimits } from '@writecheck/contract';
import type { Committed } from '@writecheck/store/port';

/** A response around the place where a receipt goes. */
export interface AnswerTexts {
  readonly opening: string;
  readonly closing: string;
  /** The opening of the text for the idempotency row, if it differs from the one that is sent. */
  readonly kept?: string;
}

/**
 * A decision's response before its record is durable. INVARIANT: the text is released only against proof that this
 * very decision was committed, so an allow without a record cannot be written.
 */
export class DraftAnswer {
  readonly #decisionId: string;
  readonly #texts: AnswerTexts;
  /** The limits in JSON, as the texts show them. */
  readonly #limits: string;

  constructor(decisionId: string, texts: AnswerTexts, limits = '') {
    this.#decisionId = decisionId;
    this.#texts = texts;
    this.#limits = limits;
  }

  /** `receipt` is JSON text. */
  release(committed: Committed, receipt: string | null): string {
    if (committed.kind !== 'committed' || committed.decisionId !== this.#decisionId) {
      throw new Error('a response was about to be sent for a decision that was not committed');
    }
    const { closing } = this.#texts;
    // INVARIANT: the response says what the record says, also if counters moved since it was decided.
    const opening =
      committed.limits === undefined
        ? this.#texts.opening
        : withLimits(this.#texts.opening, this.#limits, committed.limits.states);
    return receipt === null ? `${opening}${closing}` : `${opening},"receipt":${receipt}${closing}`;
  }

  /** Call it only for the idempotency row, which becomes durable together with the record or not at all. */
  toKeep(): string {
    const { opening, closing, kept = opening } = this.#texts;
    return `${kept}${closing}`;
  }
}
