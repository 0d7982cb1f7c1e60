export {
  type AttestationChecks,
  NO_ATTESTATION,
  REVIEW_DESK,
} from '@writecheck/contract';
export { type AppliedLimit, limitsOn } from './apply-limits.ts';
export { type Circumstances, NO_CIRCUMSTANCES } from './circumstances.ts';
export type {
  Condition,
  ConditionBudget,
  ConditionResult,
  FactsOf,
} from './conditions/compiled-condition.ts';
export { coverOf, isWhole } from './cover.ts';
export { decide } from './decide.ts';
export { ENGINE_VERSION } from './engine-version.ts';
export {
  needsVerification,
  type VerificationRequest,
  verifyAttestations,
} from './evidence/verify-attestations.ts';
export { compileFreeze, type FreezeMatcher } from './freeze-match.ts';
export { type Outcome, outcomeOf } from './outcome.ts';
export { EMPTY_SNAPSHOT, EMPTY_SNAPSHOT_BEFORE_REVIEWS } from './policy/build-snapshot.ts';
export { BUNDLE_BYTES_MAX, type Compiled, compile } from './policy/compile.ts';
export type {
  ControlDefinition,
  EvidenceSourceDocument,
  LimitDocument,
  Match,
  Pattern,
  PolicyDocument,
  PolicyTestDocument,
  ProfileDocument,
  PublicJwk,
  Requirement,
  WorkflowDocument,
} from './policy/documents.ts';
export type { PolicyFault } from './policy/faults.ts';
export { asciiLower, compileMatch, MATCH_MEMBERS } from './policy/match.ts';
export { POLICY_DOCUMENT_SCHEMA } from './policy/schemas.ts';
export type {
  Control,
  EvidenceKeys,
  Limit,
  Mode,
  PolicySnapshot,
  Profile,
  RequiredControl,
  ReviewRule,
  Workflow,
} from './policy/snapshot.ts';
export { type BundleComparison, compareBundles, loosens } from './policy-compare/compare-bundles.ts';
export { findLoosened, type LoosenedExample } from './policy-compare/find-loosened.ts';
export { type Finding, mayLoosen } from './policy-compare/findings.ts';
export {
  type RecordedVerdict,
  type SampleCase,
  sampleCases,
  testCases,
} from './policy-compare/sample-cases.ts';
export { crowdWarnings } from './policy-lint/find-crowds.ts';
export { lintBundle } from './policy-lint/lint-bundle.ts';
export type { LintWarning } from './policy-lint/lint-warning.ts';
export { runPolicyTest, runPolicyTests } from './policy-tests/run-policy-tests.ts';
export { supposeAttestations } from './policy-tests/suppose-attestations.ts';
export { SUPPOSED_KEY, supposeDrawn } from './policy-tests/suppose-drawn.ts';
export { RecordFacts } from './record-facts.ts';
export {
  type Requirements,
  requirementsOf,
  type StatedRequirement,
  type StatedReview,
} from './requirements.ts';
export type { ReviewTerms } from './review-terms.ts';
export { type ShownFact, shownFacts } from './shown-facts.ts';
