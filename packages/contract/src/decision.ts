/** A decision from the engine, without IDs or aliases; the response is built around it. */
import type { LimitState } from './limit-state.ts';
import type {
  Assurance,
  AuthorityState,
  ControlCode,
  ControlStatus,
  Decision,
  FactsStatus,
  Gate,
  ProvenanceSource,
  ReasonCode,
  RemediationAction,
  WritePolicy,
} from './vocabulary.ts';

/** No allow is valid for longer. */
export const ALLOW_MS_MAX = 5 * 60_000;

export interface ControlEvaluation {
  readonly controlId: string;
  /** Whether any evidence item names the control. */
  readonly present: boolean;
  readonly result?: string | undefined;
  readonly source?: string | undefined;
  readonly checkedAt?: string | undefined;
  readonly evidenceRef?: string | undefined;
  readonly fresh?: boolean | undefined;
  readonly status: ControlStatus;
  readonly code: ControlCode;
  readonly effect: Decision;
  readonly authorityState: AuthorityState;
}

export interface DiagnosePromotion {
  readonly source?: string;
  readonly assessmentRef?: string;
  readonly runRef?: string;
  readonly promotedAt?: string;
  readonly promotedBy?: string;
  readonly status?: string;
}

export interface RequirementProvenance {
  readonly controlId: string;
  readonly sources: readonly string[];
  readonly diagnosePromotion?: DiagnosePromotion;
}

export interface ProfileProvenance {
  readonly profileId?: string | undefined;
  readonly profileVersion?: string | undefined;
  readonly controlPackId?: string | undefined;
  readonly policyRef?: string | undefined;
  readonly source: ProvenanceSource;
}

/** A freeze in a decision: without times, so that a replay needs no clock. */
export interface MatchingFreeze {
  readonly id: string;
  /** The reason that its author gave. */
  readonly reason: string;
}

export interface Remediation {
  readonly gate: Gate;
  readonly freezeId?: string;
  readonly controlId?: string;
  readonly limitId?: string;
  readonly action: RemediationAction;
  readonly need: string;
  readonly acceptedSources?: readonly string[];
  readonly maxAgeSeconds?: number;
  readonly assurance?: Assurance;
}

/** An attestation that an allow used up; the commit that records the allow makes it unusable. */
export interface ConsumedAttestation {
  readonly source: string;
  readonly jti: string;
}

/** Says that a person could resolve a pause, and which controls the review would be for. */
export interface ReviewOffer {
  /** The control that confirms authority first, then the others in required order, each once. */
  readonly controls: readonly string[];
}

/** The status of the facts of one control. */
export interface FactsReading {
  readonly controlId: string;
  readonly status: FactsStatus;
  readonly source?: string | undefined;
  readonly checkedAt?: string | undefined;
}

export interface EngineDecision {
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reason: string;
  readonly reasonCode: ReasonCode;
  readonly requiredControls: readonly string[];
  readonly controlEvaluations: readonly ControlEvaluation[];
  readonly profileProvenance: ProfileProvenance;
  readonly requirementProvenance: readonly RequirementProvenance[];
  readonly writePolicy: WritePolicy;
  readonly observeMode: boolean;
  readonly enforced: boolean;
  readonly warn: boolean;
  readonly failClosed: boolean;
  /** Epoch milliseconds; on an allow only. */
  readonly validUntil?: number | undefined;
  /** Present exactly when one of the two decisions is not allow. */
  readonly remediation?: readonly Remediation[] | undefined;
  /** Present exactly when the decision is a pause that a person could resolve. */
  readonly review?: ReviewOffer | undefined;
  /** The facts of each control that a condition reads, by id; absent if no condition reads facts. */
  readonly facts?: readonly FactsReading[] | undefined;
  /** The state of each limit that applies, by id; absent if none applies. */
  readonly limits?: readonly LimitState[] | undefined;
  readonly warnings: readonly string[];
  /** Attestations whose control says `use: once` and approvals of the review desk, to be consumed if and only if the decision is allow. */
  readonly consumes: readonly ConsumedAttestation[];
  /** Every verified attestation behind the decision. If one is revoked later, the allow can no longer be replayed or redeemed. */
  readonly restsOn: readonly ConsumedAttestation[];
}
