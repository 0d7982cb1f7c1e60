/** Responses of the check as bytes and headers, independent of the transport. */
import {
  type DecisionTexts,
  decisionResponseOpening,
  type EngineDecision,
  ERROR_CATALOGUE,
  type ErrorCode,
  PROBLEM_MEDIA_TYPE,
  problem,
  type ResponseEnvelope,
} from '@writecheck/contract';
import type { Refusal } from '../refusal.ts';
import type { Committed } from '../store/port.ts';

export interface CheckAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array | string;
  /** Of an error, for those who observe responses. */
  readonly code?: ErrorCode;
}

/** What every response repeats from its request. */
export interface RequestIdentity {
  readonly requestId: string;
  readonly traceId: string;
  readonly nowMs: number;
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
      throw new Error('a decision was about to leave on the strength of another one');
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

export function problemText(identity: RequestIdentity, { code, message, details }: Refusal): string {
  return JSON.stringify(
    problem({
      code,
      message,
      details,
      requestId: identity.requestId,
      traceId: identity.traceId,
      timestampMs: identity.nowMs,
    }),
  );
}

export function problemAnswer(
  identity: RequestIdentity,
  refusal: Refusal,
  headers: CheckAnswer['headers'] = NO_HEADERS,
): CheckAnswer {
  const { retryAfterMs } = refusal;
  const wait: CheckAnswer['headers'] =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  return {
    status: ERROR_CATALOGUE[refusal.code].status,
    headers: { 'content-type': PROBLEM_MEDIA_TYPE, 'cache-control': 'no-store', ...wait, ...headers },
    body: problemText(identity, refusal),
    code: refusal.code,
  };
}
