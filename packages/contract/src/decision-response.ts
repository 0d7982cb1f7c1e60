/** The decision on the wire; the only file that knows which members have two names. */
import type {
  ControlEvaluation,
  EngineDecision,
  FactsReading,
  ProfileProvenance,
  Remediation,
  RequirementProvenance,
  ReviewOffer,
} from './decision.ts';
import { isoTime } from './iso-time.ts';
import type { LimitState } from './limit-state.ts';
import {
  type Decision,
  EXECUTION_STATUSES,
  type ExecutionStatus,
  type ReasonCode,
  WRITE_INTENT_VERSION,
  type WritePolicy,
} from './vocabulary.ts';

/** Members in wire order; empty optional members are not sent. */
export interface DecisionResponse {
  readonly success: true;
  readonly decision: Decision;
  readonly allowed: boolean;
  readonly reason: string;
  readonly reason_code: ReasonCode;
  readonly reasonCode: ReasonCode;
  readonly decision_id: string;
  readonly decisionId: string;
  readonly audit_id: string;
  readonly auditId: string;
  readonly request_id: string;
  readonly traceId: string;
  readonly schemaVersion: typeof WRITE_INTENT_VERSION;
  readonly execution_status: ExecutionStatus;
  readonly executionStatus: ExecutionStatus;
  readonly required_controls: readonly string[];
  readonly requiredControls: readonly string[];
  readonly control_evaluations: readonly ControlEvaluation[];
  readonly controlEvaluations: readonly ControlEvaluation[];
  readonly profileProvenance: ProfileProvenance;
  readonly requirementProvenance: readonly RequirementProvenance[];
  readonly writePolicy: WritePolicy;
  readonly observeMode: boolean;
  readonly enforced: boolean;
  readonly warn: boolean;
  readonly failClosed: boolean;
  readonly timestamp: string;
  readonly evaluatedDecision: Decision;
  readonly intentDigest: string;
  /** Present only on an allow. */
  readonly validUntil?: string;
  /** Present if either decision is not allow. */
  readonly remediation?: readonly Remediation[];
  /** Present on a pause that a person could resolve. */
  readonly review?: ReviewOffer;
  /** The facts of each control that a condition reads, by id. */
  readonly facts?: readonly FactsReading[];
  /** The state of each limit that applies, by id. */
  readonly limits?: readonly LimitState[];
  readonly warnings?: readonly string[];
  /** Present on an allow that was taken with its decision. */
  readonly redemption?: Taken;
}

/** An allow that was redeemed in the commit that recorded it: only the caller that sees its own claim may write. */
export interface Taken {
  readonly redeemedAt: string;
  readonly claim: string;
}

/** INVARIANT: every ID but the caller's request ID is hexadecimal with a prefix, so it needs no escaping. */
export interface ResponseEnvelope {
  readonly decisionId: string;
  readonly auditId: string;
  readonly requestId: string;
  readonly traceId: string;
  readonly timestampMs: number;
  readonly intentDigest: string;
  /** The parser's warnings, which come before the engine's. */
  readonly warnings: readonly string[];
  readonly redemption?: Taken | undefined;
}

/** The long members of a decision as JSON text, serialized once although they are sent twice. */
export interface DecisionTexts {
  readonly reason: string;
  readonly requiredControls: string;
  readonly controlEvaluations: string;
  readonly profileProvenance: string;
  readonly requirementProvenance: string;
  /** Absent if none applies. */
  readonly limits: string | undefined;
  readonly remediation: string | undefined;
}

export function decisionTexts(decided: EngineDecision): DecisionTexts {
  return {
    reason: JSON.stringify(decided.reason),
    requiredControls: JSON.stringify(decided.requiredControls),
    controlEvaluations: JSON.stringify(decided.controlEvaluations),
    profileProvenance: JSON.stringify(decided.profileProvenance),
    requirementProvenance: JSON.stringify(decided.requirementProvenance),
    limits: decided.limits === undefined ? undefined : JSON.stringify(decided.limits),
    remediation: decided.remediation === undefined ? undefined : JSON.stringify(decided.remediation),
  };
}

export function decisionResponseText(
  decided: EngineDecision,
  envelope: ResponseEnvelope,
  texts = decisionTexts(decided),
): string {
  const { decision, reasonCode } = decided;
  const { decisionId, auditId } = envelope;
  const executionStatus = EXECUTION_STATUSES[decision];
  const { requiredControls, controlEvaluations: evaluations } = texts;
  let text =
    `{"success":true,"decision":"${decision}","allowed":${decision === 'allow'}` +
    `,"reason":${texts.reason},"reason_code":"${reasonCode}","reasonCode":"${reasonCode}"` +
    `,"decision_id":"${decisionId}","decisionId":"${decisionId}","audit_id":"${auditId}","auditId":"${auditId}"` +
    `,"request_id":${JSON.stringify(envelope.requestId)},"traceId":"${envelope.traceId}"` +
    `,"schemaVersion":"${WRITE_INTENT_VERSION}"` +
    `,"execution_status":"${executionStatus}","executionStatus":"${executionStatus}"` +
    `,"required_controls":${requiredControls},"requiredControls":${requiredControls}` +
    `,"control_evaluations":${evaluations},"controlEvaluations":${evaluations}` +
    `,"profileProvenance":${texts.profileProvenance}` +
    `,"requirementProvenance":${texts.requirementProvenance}` +
    `,"writePolicy":"${decided.writePolicy}","observeMode":${decided.observeMode},"enforced":${decided.enforced}` +
    `,"warn":${decided.warn},"failClosed":${decided.failClosed},"timestamp":"${isoTime(envelope.timestampMs)}"` +
    `,"evaluatedDecision":"${decided.evaluatedDecision}","intentDigest":"${envelope.intentDigest}"`;
  if (decision === 'allow' && decided.validUntil !== undefined) {
    text += `,"validUntil":"${isoTime(decided.validUntil)}"`;
  }
  if (decision !== 'allow' || decided.evaluatedDecision !== 'allow')
    text += `,"remediation":${texts.remediation ?? '[]'}`;
  if (decided.review !== undefined) text += `,"review":${JSON.stringify(decided.review)}`;
  if (decided.facts !== undefined) text += `,"facts":${JSON.stringify(decided.facts)}`;
  if (texts.limits !== undefined) text += `,"limits":${texts.limits}`;
  if (envelope.warnings.length + decided.warnings.length > 0) {
    text += `,"warnings":${JSON.stringify([...envelope.warnings, ...decided.warnings])}`;
  }
  if (envelope.redemption !== undefined) text += `,"redemption":${JSON.stringify(envelope.redemption)}`;
  return `${text}}`;
}

/**
 * The same response with other limits, which are JSON text. INVARIANT: quotes inside strings are escaped, and no other
 * member has this name, so the first match is the member.
 */
export function withLimits(responseText: string, before: string, after: string): string {
  const old = `,"limits":${before}`;
  const at = responseText.indexOf(old);
  if (at === -1) throw new TypeError('a response does not hold the limits that it was decided with');
  return `${responseText.slice(0, at)},"limits":${after}${responseText.slice(at + old.length)}`;
}

export function decisionResponse(decided: EngineDecision, envelope: ResponseEnvelope): DecisionResponse {
  return JSON.parse(decisionResponseText(decided, envelope));
}
