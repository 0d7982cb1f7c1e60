export type {
  DigestInput,
  EvidenceItem,
  JsonObject,
  JsonValue,
  LimitState,
  ReviewState,
  WriteIntent,
} from '@writecheck/contract';
export type {
  CallOptions,
  CheckOptions,
  Client,
  GuardOptions,
  IntentSource,
  ResumeOptions,
  RunOptions,
} from './client-types.ts';
export { createClient } from './create-client.ts';
export type {
  AllowDecision,
  CauseKind,
  GuardOutcome,
  LocalDecision,
  NoDecisionCause,
  ServiceDecision,
  Stop,
  StopDecision,
  StoppedOutcome,
  WriteDecision,
} from './decision-types.ts';
export type { FactsReader, FactsSource, NeededFacts } from './facts-types.ts';
export { isDecision } from './judge-answer.ts';
export { isLocalDecision, localDecision } from './local-decision.ts';
export { isNotWritten, NotWritten } from './not-written.ts';
export type { AbortSignalLike, Fetch, FetchInit, FetchResponse } from './platform.ts';
export type { RedeemAnswer, RedeemableDecision, RedeemOptions } from './redeem.ts';
export type { Requirements, RequirementsAnswer } from './requirements.ts';
export type { ReviewStop, ReviewSummary } from './review-outcome.ts';
export type {
  OpenOptions,
  Review,
  ReviewAnswer,
  ReviewOptions,
  ReviewRequest,
  WaitOptions,
} from './review-types.ts';
export type { ClientOptions } from './settings.ts';
export { intentDigest } from './snapshot-intent.ts';
