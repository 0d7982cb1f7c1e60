/** The errors of the reader: those it shares with the service, and its own. */
import { ERROR_CATALOGUE, PROBLEM_MEDIA_TYPE, type ProblemDetail, problem } from '@writecheck/contract';
import type { RequestContext } from './request-context.ts';

const READER_ERRORS = {
  ...ERROR_CATALOGUE,
  facts_unavailable: { status: 424, title: 'the record could not be read' },
};

export type ReaderError = keyof typeof READER_ERRORS;

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The error's code. */
  readonly code?: ReaderError;
}

export interface Refusal {
  readonly code: ReaderError;
  readonly message: string;
  readonly details?: readonly ProblemDetail[];
  readonly headers?: Readonly<Record<string, string>>;
}

export function refusal(
  { code, message, details, headers }: Refusal,
  { requestId, traceId, nowMs }: RequestContext,
): Reply {
  const { status } = READER_ERRORS[code];
  const body = problem({ code, message, details, requestId, traceId, timestampMs: nowMs }, READER_ERRORS);
  return {
    status,
    headers: {
      'content-type': PROBLEM_MEDIA_TYPE,
      'cache-control': 'no-store',
      ...(status === 401 ? { 'www-authenticate': challenge(code) } : {}),
      ...(status === 503 ? { 'retry-after': '1' } : {}),
      ...headers,
    },
    body: JSON.stringify(body),
    code,
  };
}

/** RFC 6750, section 3: no error code if no token was sent. */
function challenge(code: ReaderError): string {
  return code === 'missing_key'
    ? 'Bearer realm="writecheck-facts"'
    : 'Bearer realm="writecheck-facts", error="invalid_token"';
}
