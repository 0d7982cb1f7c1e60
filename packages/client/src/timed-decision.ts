/** A decision together with how long it counts. */
import type { NoDecisionCause, WriteDecision } from './decision-types.ts';
import { localDecision } from './local-decision.ts';
import type { AbortSignalLike } from './platform.ts';

export interface TimedDecision {
  readonly decision: WriteDecision;
  /** The moment on the monotonic clock from which it no longer counts. */
  readonly expiresAtMs: number;
  /** The service had stored it for an earlier request with the same key. */
  readonly replayed?: boolean;
  /** A decision was stored for this call before, so the call is a repeat. */
  readonly repeated?: boolean;
}

/** The decision as it stands now: an allow that has expired, or whose caller gave up, no longer counts. */
export function current({ decision, expiresAtMs }: TimedDecision, signal?: AbortSignalLike): WriteDecision {
  if (signal?.aborted) return localDecision({ kind: 'aborted', message: 'the caller aborted the check' });
  if (performance.now() < expiresAtMs) return decision;
  return localDecision({ kind: 'expired', message: 'the decision was no longer valid when it arrived' });
}

export function noDecision(cause: NoDecisionCause): TimedDecision {
  return { decision: localDecision(cause), expiresAtMs: Number.POSITIVE_INFINITY };
}

export function unusable(): TimedDecision {
  return noDecision({ kind: 'invalid_intent', message: 'the intent cannot be written as a JSON object' });
}
