/** An error as a response, independent of the transport. */
import { ERROR_CATALOGUE, type ErrorCode, PROBLEM_MEDIA_TYPE, problem } from '@writecheck/contract';
import type { Refusal } from './refusal.ts';

/** What every response repeats from its request. */
export interface RequestIdentity {
  readonly requestId: string;
  readonly traceId: string;
  readonly nowMs: number;
}

export interface ProblemAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
  /** For those who observe responses. */
  readonly code: ErrorCode;
}

const NO_HEADERS: ProblemAnswer['headers'] = {};

export function problemAnswer(
  identity: RequestIdentity,
  refusal: Refusal,
  headers: ProblemAnswer['headers'] = NO_HEADERS,
): ProblemAnswer {
  const { retryAfterMs } = refusal;
  const wait: ProblemAnswer['headers'] =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  return {
    status: ERROR_CATALOGUE[refusal.code].status,
    headers: { 'content-type': PROBLEM_MEDIA_TYPE, 'cache-control': 'no-store', ...wait, ...headers },
    body: problemText(identity, refusal),
    code: refusal.code,
  };
}

/** The body alone: a refused check of a batch is an error among decisions. */
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
