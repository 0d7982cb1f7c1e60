/** Responses of the check as bytes and headers, independent of the transport. */
import {
  type DecisionTexts,
  decisionResponseOpening,
  type EngineDecision,
  type ErrorCode,
  type ResponseEnvelope,
} from '@writecheck/contract';
import type { Committed } from '../store/port.ts';

export interface CheckAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array | string;
  /** Of an error, for those who observe responses. */
  readonly code?: ErrorCode;
}

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

const DECISION_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

export const NO_HEADERS: CheckAnswer['headers'] = {};

export function decisionAnswer(
  body: string | Uint8Array,
  quota: CheckAnswer['headers'],
  others: CheckAnswer['headers'] = NO_HEADERS,
): CheckAnswer {
  return { status: 200, headers: { ...DECISION_HEADERS, ...quota, ...others }, body };
}
