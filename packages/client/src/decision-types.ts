/** The decisions a caller can get: the service's own, and the local block used when there is none. */
import type { DecisionResponse } from '@writecheck/contract';
import type { ReviewStop, ReviewSummary } from './review-outcome.ts';

interface DecisionMembers {
  /** One sentence a person can act on. */
  readonly reason: string;
  readonly reason_code: string;
  readonly schemaVersion: 'write_intent.v1';
}

type Sent = Omit<DecisionResponse, keyof DecisionMembers | 'decision' | 'allowed' | 'success'>;

/** The members that the service adds to the required ones. Extra members may be present. */
interface ServiceMembers extends DecisionMembers, Partial<Sent> {
  /** Never present on a response of the service: `origin` distinguishes the two kinds of decision. */
  readonly origin?: undefined;
  readonly [member: string]: unknown;
}

export interface AllowDecision extends ServiceMembers {
  readonly decision: 'allow';
  readonly allowed: true;
}

export interface StopDecision extends ServiceMembers {
  readonly decision: 'pause' | 'block';
  readonly allowed: false;
}

export type ServiceDecision = AllowDecision | StopDecision;

/** Why there is no valid decision. The first three are outages; only they let an unprotected write run. */
export type CauseKind =
  | 'timeout'
  | 'connection_failed'
  | 'service_failed'
  | 'refused'
  | 'redirect'
  | 'invalid_answer'
  | 'expired'
  | 'aborted'
  | 'not_approved'
  | 'not_redeemed'
  | 'taken'
  | 'invalid_intent'
  | 'facts'
  | 'client_fault';

export interface NoDecisionCause {
  /** `facts`: the facts of the record could not be fetched. */
  readonly kind: CauseKind;
  readonly message: string;
  /** The HTTP status, if there was a response. */
  readonly status?: number;
  /** The service's error code, for example `invalid_key`. */
  readonly code?: string;
  readonly requestId?: string;
  /** The decision that the service names in its refusal. */
  readonly decisionId?: string;
  /** The error thrown if the cause is `client_fault`, for the application's own log. */
  readonly error?: Error;
}

export interface Unanswered {
  readonly kind: 'unanswered';
  readonly cause: NoDecisionCause;
}

export interface LocalDecision extends DecisionMembers {
  readonly origin: 'client';
  readonly decision: 'block';
  readonly allowed: false;
  readonly reason_code: 'no_valid_decision';
  /** If another run took the allow: the decision that it runs on. */
  readonly decision_id?: string;
  readonly cause: NoDecisionCause;
}

export type WriteDecision = ServiceDecision | LocalDecision;

export type GuardOutcome<T> =
  | {
      readonly executed: true;
      readonly decision: AllowDecision;
      readonly result: T;
      /** The review whose approval the allow uses. */
      readonly review?: ReviewSummary;
    }
  | {
      readonly executed: true;
      readonly unprotected: true;
      readonly decision: LocalDecision;
      readonly result: T;
    }
  | StoppedOutcome;

/** A review, another run that took the allow, a freeze, or a limit. */
export type Stop = ReviewStop | 'taken' | 'frozen' | 'limit';

export interface StoppedOutcome {
  readonly executed: false;
  readonly decision: StopDecision | LocalDecision;
  /** The review that was opened or resumed. */
  readonly review?: ReviewSummary;
  /** Set if a review, another run, a freeze or a limit stopped the write. */
  readonly stopped?: Stop;
  /** Set with `limit`: when the last of the used-up limits has room again; null if unknown. */
  readonly resetsAt?: string | null;
  /** Set if there was no valid response about the review. */
  readonly cause?: NoDecisionCause;
}
