/** A response that is not a decision: the content of the error envelope, independent of HTTP. */
import type { ErrorCode, ProblemDetail } from '@writecheck/contract';

export interface Refusal {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: readonly ProblemDetail[];
  /** When a retry makes sense. */
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

export function clockBehind(behindMs: number): Refusal {
  const seconds = Math.ceil(behindMs / 1_000);
  return {
    ...refuse('clock_behind', `the clock is ${seconds} s behind the newest record; set the clock`),
    retryAfterMs: Math.min(behindMs, 60_000),
  };
}

export function storeUnavailable(message: string): Refusal {
  return { ...refuse('store_unavailable', message), retryAfterMs: 1_000 };
}
