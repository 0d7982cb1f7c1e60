export {
  amountOfNumber,
  amountOfSum,
  amountOfText,
  amountText,
  withoutLeadingZeros,
  withoutTrailingZeros,
} from './amount.ts';
export { type ApprovalFacts, type AttestationChecks, NO_ATTESTATION } from './attestation-checks.ts';
export { decodeBase64, encodeBase64 } from './base64.ts';
export { decodeBase64Url, encodeBase64Url } from './base64url.ts';
export { canonicalJson } from './canonical-json.ts';
export { csvLine } from './csv-line.ts';
export {
  ALLOW_MS_MAX,
  type ConsumedAttestation,
  type ControlEvaluation,
  type DiagnosePromotion,
  type EngineDecision,
  type FactsReading,
  type MatchingFreeze,
  type ProfileProvenance,
  type Remediation,
  type RequirementProvenance,
  type ReviewOffer,
} from './decision.ts';
export {
  type DecisionResponse,
  type DecisionTexts,
  decisionResponse,
  decisionResponseText,
  decisionTexts,
  type ResponseEnvelope,
  type Taken,
  withLimits,
} from './decision-response.ts';
export { type DifferenceStep, difference } from './difference.ts';
export { DAY_MS, DURATION_PATTERN, durationMs, HOUR_MS, MINUTE_MS } from './duration.ts';
export { ERROR_CATALOGUE, type ErrorCode, type ErrorEntry } from './error-catalogue.ts';
export { FREEZE_SCOPE_MEMBERS, type FreezeScope, isFreezeScope } from './freeze-scope.ts';
export { type Given, given } from './given.ts';
export { type Instant, parseInstant } from './instants.ts';
export {
  canonicalIntent,
  DIGEST_MEMBERS,
  type DigestInput,
  intentDigest,
  OBJECT_MEMBERS,
} from './intent-digest.ts';
export { isoTime } from './iso-time.ts';
export { pointerTo } from './json-pointer.ts';
export { findValueFault } from './json-value.ts';
export {
  type CountedDraws,
  type LimitReading,
  type LimitState,
  readingOf,
  withReading,
} from './limit-state.ts';
export {
  calendarMonth,
  counts,
  type Drawn,
  type Draws,
  drawnAt,
  drawsEndMs,
  drawsOfText,
  drawsText,
  LATER_MS_MAX,
  type LimitWindow,
  limitWindow,
  NO_DRAWS,
  openDraws,
  stepEndsMs,
  stepOf,
  windowMs,
  withDraw,
} from './limit-window.ts';
export {
  ATTESTATION_BYTES_MAX,
  ATTESTED_ITEMS_MAX,
  BODY_BYTES_MAX,
  DEPTH_MAX,
  DOCUMENTS_MAX,
  EVALUATIONS_BYTES_MAX,
  EVALUATIONS_MAX,
  FACTS_BYTES_MAX,
  FACTS_DEPTH_MAX,
  METADATA_BYTES_MAX,
  NAME_CHARACTERS_MAX,
  REQUIRED_CONTROLS_MAX,
  STATEMENTS_MAX,
} from './limits.ts';
export { canBeListed, type MappedEvaluation, mapEvaluation, UNNAMED_SYSTEM } from './map-evaluation.ts';
export { isName } from './name.ts';
export { editsBetween, nearestName } from './nearest-name.ts';
export {
  areLookAlikes,
  type OddCharacter,
  oddCharacters,
  revealedJson,
  revealedPlain,
  skeletonOf,
  twinOf,
} from './odd-characters.ts';
export type { Fault } from './parse-findings.ts';
export {
  type IntentFaultCode,
  intentFromValue,
  type ParsedIntent,
  parseIntent,
  type RefusedIntent,
} from './parse-intent.ts';
export {
  PROBLEM_MEDIA_TYPE,
  type Problem,
  type ProblemDetail,
  type ProblemInput,
  problem,
} from './problem.ts';
export { isObject } from './read-member.ts';
export { type Actor, REASON_CATALOGUE, type ReasonEntry } from './reason-catalogue.ts';
export { continuedTrace, givenRequestId } from './request-headers.ts';
export { actionRequestSchema } from './schemas/action-request-v1.ts';
export { decisionSchema } from './schemas/decision-v1.ts';
export type { JsonSchema } from './schemas/request-members.ts';
export { writeIntentSchema } from './schemas/write-intent-v1.ts';
export { oneLine, shortened, shown } from './shown-input.ts';
export { parseStrictJson, type StrictJson } from './strict-json.ts';
export { VERSION } from './version.ts';
export { marked, visible } from './visible-text.ts';
export {
  ASSURANCES,
  type Assurance,
  type AuthorityState,
  CONTROL_CODES,
  type ControlCode,
  type ControlStatus,
  DECISIONS,
  DELIVERY_STATES,
  type Decision,
  type DeliveryState,
  EVENT_SENTENCES,
  EVIDENCE_RESULTS,
  type EventOf,
  type ExecutionStatus,
  type FactsStatus,
  GATE_CODES,
  type Gate,
  type GateCode,
  OUTCOMES,
  type OutcomeResult,
  PERSON_STATES,
  type PersonState,
  type ProvenanceSource,
  RESOURCE_CHANGES,
  REVIEW_CAUSES,
  REVIEW_DESK,
  REVIEW_IDENTITIES,
  REVIEW_STATES,
  type ReasonCode,
  type RemediationAction,
  type ReviewCause,
  type ReviewIdentity,
  type ReviewState,
  ROLES,
  type Role,
  SERVICE_ROLES,
  type ServiceRole,
  WEBHOOK_EVENTS,
  WEBHOOK_FORMATS,
  type WebhookEventType,
  type WebhookFormat,
  WRITE_INTENT_VERSION,
  WRITE_POLICIES,
  type WritePolicy,
} from './vocabulary.ts';
export type { EvidenceItem, JsonObject, JsonValue, WriteIntent } from './write-intent.ts';
