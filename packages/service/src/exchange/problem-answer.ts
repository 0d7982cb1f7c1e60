/** An error as a response, independent of the transport. */
import { ERROR_CATALOGUE, PROBLEM_MEDIA_TYPE, problem } from '@writecheck/contract';
import { type Answer, NO_HEADERS } from './answer.ts';
import type { Refusal } from './refusal.ts';
import type { RequestContext } from './request-context.ts';

export type ProblemAnswer = Answer & { readonly code: Refusal['code'] };

export function problemAnswer(
  context: RequestContext,
  refusal: Refusal,
  headers = NO_HEADERS,
): ProblemAnswer {
  const { retryAfterMs, code, message } = refusal;
  const { status } = ERROR_CATALOGUE[code];
  const challenged = status === 401 ? { 'www-authenticate': challenge(code, message) } : NO_HEADERS;
  const wait: Answer['headers'] =
    retryAfterMs === undefined
      ? NO_HEADERS
      : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) };
  return {
    status,
    headers: {
      'content-type': PROBLEM_MEDIA_TYPE,
      'cache-control': 'no-store',
      ...challenged,
      ...wait,
      ...headers,
    },
    body: problemText(context, refusal),
    code,
  };
}

/** RFC 6750, section 3: no error code if no key was sent, and printable ASCII without quotes in the description. */
export function challenge(code: string, message: string): string {
  if (code === 'missing_key') return 'Bearer realm="writecheck"';
  const error = code === 'insufficient_scope' ? code : 'invalid_token';
  return `Bearer realm="writecheck", error="${error}", error_description="${message.replaceAll(/[^ !#-[\]-~]/g, "'")}"`;
}

/** The body alone: a refused check of a batch is an error among decisions. */
export function problemText(
  { requestId, traceId, nowMs }: RequestContext,
  { code, message, details }: Refusal,
): string {
  return JSON.stringify(problem({ code, message, details, requestId, traceId, timestampMs: nowMs }));
}
