export type { DigestInput, EvidenceItem, JsonObject, JsonValue, WriteIntent } from '@writecheck/contract';
export {
  type CallOptions,
  type CheckOptions,
  type Client,
  createClient,
  type GuardOptions,
} from './create-client.ts';
export type {
  AllowDecision,
  CauseKind,
  GuardOutcome,
  LocalDecision,
  NoDecisionCause,
  ServiceDecision,
  StopDecision,
  WriteDecision,
} from './decision-types.ts';
export { isDecision } from './judge-answer.ts';
export { isLocalDecision, localDecision } from './local-decision.ts';
export type { ClientOptions } from './settings.ts';
export { intentDigest } from './snapshot-intent.ts';
