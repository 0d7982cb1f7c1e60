/** The error envelope: problem details (RFC 9457) that cannot be mistaken for an allow. */
import { ERROR_CATALOGUE, type ErrorCode, type ErrorEntry } from './error-catalogue.ts';
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
  /** True if a policy change may loosen or tighten, and no comparison shows which. */
  readonly unclear?: boolean;
}

export interface Problem<Code extends string = ErrorCode> {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly success: false;
  readonly allowed: false;
  readonly failClosed: true;
  readonly error: {
    readonly code: Code;
    readonly message: string;
    readonly details?: readonly ProblemDetail[];
  };
  readonly request_id: string;
  readonly traceId: string;
  readonly timestamp: string;
}

export interface ProblemInput<Code extends string = ErrorCode> {
  readonly code: Code;
  readonly message: string;
  readonly details?: readonly ProblemDetail[] | undefined;
  readonly requestId: string;
  readonly traceId: string;
  readonly timestampMs: number;
}

/** INVARIANT: an error never carries a `decision`. `catalogue` is that of another server in the same form. */
export function problem<Code extends string = ErrorCode>(
  { code, message, details, requestId, traceId, timestampMs }: ProblemInput<Code>,
  catalogue: Readonly<Record<string, Pick<ErrorEntry, 'status' | 'title'>>> = ERROR_CATALOGUE,
): Problem<Code> {
  const { status, title } = catalogue[code]!;
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
