/** The response of a decision, which nobody can read until the decision is durable. */
import {
  type DecisionTexts,
  decisionResponseOpening,
  type EngineDecision,
  type ResponseEnvelope,
  withLimits,
} from '@writecheck/contract';
import type { Committed } from '@writecheck/store/port';

/**
 * A decision's response before its record is durable. INVARIANT: the text is released only against proof that this
 * very decision was committed, so an allow without a record cannot be written.
 */
export class DraftAnswer {
  readonly #decisionId: string;
  readonly #opening: string;
  readonly #limits: EngineDecision['limits'];

  constructor(decided: EngineDecision, texts: DecisionTexts, envelope: ResponseEnvelope) {
    this.#decisionId = envelope.decisionId;
    this.#opening = decisionResponseOpening(decided, envelope, texts);
    this.#limits = decided.limits;
  }

  /** `receipt` is JSON text. */
  release(committed: Committed, receipt: string | null): string {
    if (committed.kind !== 'committed' || committed.decisionId !== this.#decisionId) {
      throw new Error('a response was about to be sent for a decision that was not committed');
    }
    // INVARIANT: the response says what the record says, also if counters moved since it was decided.
    const opening =
      committed.limits === undefined
        ? this.#opening
        : withLimits(this.#opening, this.#limits ?? [], committed.limits);
    return receipt === null ? `${opening}}` : `${opening},"receipt":${receipt}}`;
  }

  /** For the idempotency row only, which becomes durable together with the record or not at all. */
  toKeep(): string {
    return `${this.#opening}}`;
  }
}
