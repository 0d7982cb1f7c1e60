/** An answer that is not a decision: what the error envelope will say, before anybody thinks of HTTP. */
import type { ErrorCode, ProblemDetail } from '@writecheck/contract';

export interface Refusal {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: readonly ProblemDetail[];
  /** When it makes sense to ask again. */
  readonly retryAfterMs?: number;
}

export function refuse(code: ErrorCode, message: string, details?: readonly ProblemDetail[]): Refusal {
  return details === undefined
    ? { kind: 'refused', code, message }
    : { kind: 'refused', code, message, details };
}

export function isRefusal(value: object): value is Refusal {
  return 'kind' in value && value.kind === 'refused';
}
