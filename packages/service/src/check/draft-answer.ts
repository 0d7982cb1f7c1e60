/** The response of a decision, which nobody can read until the decision is durable. */
import {
  type DecisionTexts,
  decisionResponseOpening,
  type EngineDecision,
  type ResponseEnvelope,
} from '@writecheck/contract';
import type { Committed } from '@writecheck/store/port';

/**
 * A decision's response before its record is durable. INVARIANT: the text is released only against proof that this
 * very decision was committed, so an allow without a record cannot be written.
 */
export class DraftAnswer {
  readonly #decisionId: string;
  readonly #opening: string;

  constructor(decided: EngineDecision, texts: DecisionTexts, envelope: ResponseEnvelope) {
    this.#decisionId = envelope.decisionId;
    this.#opening = decisionResponseOpening(decided, envelope, texts);
  }

  /** `receipt` is JSON text. */
  release(committed: Committed, receipt: string | null): string {
    if (committed.kind !== 'committed' || committed.decisionId !== this.#decisionId) {
      throw new Error('a response was about to be sent for a decision that was not committed');
    }
    return receipt === null ? `${this.#opening}}` : `${this.#opening},"receipt":${receipt}}`;
  }

  /** For the idempotency row only, which becomes durable together with the record or not at all. */
  toKeep(): string {
    return `${this.#opening}}`;
  }
}
