/** An error as a response, independent of the transport. */
import { ERROR_CATALOGUE, PROBLEM_MEDIA_TYPE, problem } from '@writecheck/contract';
import { type Answer, NO_HEADERS } from './answer.ts';
import type { Refusal } from './refusal.ts';
import type { RequestContext } from './request-context.ts';

export function problemAnswer(context: RequestContext, refusal: Refusal, headers = NO_HEADERS): Answer {
  const { retryAfterMs } = refusal;
  const wait: Answer['headers'] =
    retryAfterMs === undefined
      ? NO_HEADERS
      : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  return {
    status: ERROR_CATALOGUE[refusal.code].status,
    headers: { 'content-type': PROBLEM_MEDIA_TYPE, 'cache-control': 'no-store', ...wait, ...headers },
    body: problemText(context, refusal),
    code: refusal.code,
  };
}

/** The body alone: a refused check of a batch is an error among decisions. */
export function problemText(
  { requestId, traceId, nowMs }: RequestContext,
  { code, message, details }: Refusal,
): string {
  return JSON.stringify(problem({ code, message, details, requestId, traceId, timestampMs: nowMs }));
}
