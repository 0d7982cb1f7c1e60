/** The decisions a caller can get: the service's own, and the local block used when there is none. */
import type {
  ControlEvaluation,
  Decision,
  ExecutionStatus,
  LimitState,
  ProfileProvenance,
  Remediation,
  RequirementProvenance,
  ReviewOffer,
  WritePolicy,
} from '@writecheck/contract';
import type { ReviewStop, ReviewSummary } from './review-outcome.ts';

interface DecisionMembers {
  /** One sentence a person can act on. */
  readonly reason: string;
  readonly reason_code: string;
  readonly schemaVersion: 'write_intent.v1';
}

/** What the service adds to the required members. Extra members may be present. */
interface ServiceMembers extends DecisionMembers {
  /** Never present on a response of the service: `origin` distinguishes the two kinds of decision. */
  readonly origin?: undefined;
  readonly decision_id?: string;
  readonly audit_id?: string;
  readonly request_id?: string;
  readonly traceId?: string;
  readonly execution_status?: ExecutionStatus;
  readonly required_controls?: readonly string[];
  readonly control_evaluations?: readonly ControlEvaluation[];
  readonly profileProvenance?: ProfileProvenance;
  readonly requirementProvenance?: readonly RequirementProvenance[];
  readonly writePolicy?: WritePolicy;
  readonly observeMode?: boolean;
  readonly enforced?: boolean;
  readonly warn?: boolean;
  readonly failClosed?: boolean;
  readonly timestamp?: string;
  readonly evaluatedDecision?: Decision;
  readonly intentDigest?: string;
  readonly validUntil?: string;
  /** On an allow that was taken in the same commit: by which claim. */
  readonly redemption?: { readonly redeemedAt: string; readonly claim: string };
  /** The limits that apply to the write, as they stood before it. */
  readonly limits?: readonly LimitState[];
  readonly remediation?: readonly Remediation[];
  /** On a pause that a person could resolve: the controls they would have to approve. */
  readonly review?: ReviewOffer;
  readonly warnings?: readonly string[];
  /** Present if the call asked for one; verify it with `@writecheck/client/receipt`. */
  readonly receipt?: unknown;
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
  /** `facts`: what the record says could not be fetched. */
  readonly kind: CauseKind;
  readonly message: string;
  /** The HTTP status, if there was a response. */
  readonly status?: number;
  /** The service's error code, for example `invalid_key`. */
  readonly code?: string;
  readonly requestId?: string;
  /** The decision that the service names in its refusal. */
  readonly decisionId?: string;
  /** The idempotency key holds this decision for other evidence; nothing was taken under it. */
  readonly storedDecision?: 'pause' | 'block';
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
      /** The review whose approval the allow rests on. */
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
  /** Beside `limit`: when the last of the limits that are used up has room again; null if that is not known. */
  readonly resetsAt?: string | null;
  /** Set if there was no valid response about the review. */
  readonly cause?: NoDecisionCause;
}
