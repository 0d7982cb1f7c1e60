/** The error envelope: problem details (RFC 9457) that cannot be mistaken for an allow. */
import { ERROR_CATALOGUE, type ErrorCode } from './error-catalogue.ts';
import { shortPointer } from './json-pointer.ts';
import type { Fault } from './parse-findings.ts';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The place of an error; in a policy file also the file, line and column. */
export interface ProblemDetail extends Fault {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** An example intent and its decision. */
  readonly example?: unknown;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly success: false;
  readonly allowed: false;
  readonly failClosed: true;
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details?: readonly ProblemDetail[];
  };
  readonly request_id: string;
  readonly traceId: string;
  readonly timestamp: string;
}

export interface ProblemInput {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: readonly ProblemDetail[] | undefined;
  readonly requestId: string;
  readonly traceId: string;
  readonly timestampMs: number;
}

/** INVARIANT: an error never carries a `decision`. */
export function problem({ code, message, details, requestId, traceId, timestampMs }: ProblemInput): Problem {
  const { status, title } = ERROR_CATALOGUE[code];
  return {
    type: `urn:writecheck:error:${code}`,
    title,
    status,
    detail: message,
    success: false,
    allowed: false,
    failClosed: true,
    error:
      details === undefined || details.length === 0
        ? { code, message }
        : { code, message, details: details.map(withShortPlace) },
    request_id: requestId,
    traceId,
    timestamp: new Date(timestampMs).toISOString(),
  };
}

/** Policy checks need the full pointer to find the place in a file; the response shortens it. */
function withShortPlace(detail: ProblemDetail): ProblemDetail {
  const pointer = shortPointer(detail.pointer);
  return pointer === detail.pointer ? detail : { ...detail, pointer };
}
