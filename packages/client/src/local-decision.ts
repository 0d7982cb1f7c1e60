/** The block used when the service gave no valid decision. */
import { WRITE_INTENT_VERSION } from '@writecheck/contract';
import type { LocalDecision, NoDecisionCause, Unanswered, WriteDecision } from './decision-types.ts';

export function localDecision(cause: NoDecisionCause): LocalDecision {
  return {
    decision: 'block',
    allowed: false,
    reason: `no valid decision, so the write must not run: ${cause.message}`,
    reason_code: 'no_valid_decision',
    schemaVersion: WRITE_INTENT_VERSION,
    origin: 'client',
    cause,
  };
}

/** The cause of an unexpected error. JSON omits the error, so it reaches the application but no model. */
export function clientFault(message: string, error: unknown): NoDecisionCause {
  return { kind: 'client_fault', message, ...(error instanceof Error && { error }) };
}

/** The service could not be reached at all, as opposed to a response that is not an allow. */
export function isOutage(cause: NoDecisionCause): boolean {
  return cause.kind === 'timeout' || cause.kind === 'connection_failed' || cause.kind === 'service_failed';
}

/** Distinguishes the client's own block from a decision of the service. */
export function isLocalDecision(decision: WriteDecision): decision is LocalDecision {
  return decision.origin === 'client';
}

/** The result of a call that is not a check. */
export function unanswered(kind: NoDecisionCause['kind'], message: string): Unanswered {
  return { kind: 'unanswered', cause: { kind, message } };
}
