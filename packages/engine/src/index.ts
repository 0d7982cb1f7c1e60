export { REVIEW_DESK } from '@writecheck/contract';
export { CONDITION_BUDGET, newConditionBudget } from './conditions/budget.ts';
export { decide } from './decide.ts';
export { type AttestationFacts, NO_ATTESTATION } from './evidence/facts.ts';
export { needsReviewFacts } from './evidence/review-facts.ts';
export {
  needsVerification,
  type VerificationRequest,
  verifyAttestations,
} from './evidence/verify-attestations.ts';
export { EMPTY_SNAPSHOT, EMPTY_SNAPSHOT_BEFORE_REVIEWS, snapshotSteps } from './policy/build-snapshot.ts';
export { type Compiled, compile, MAX_BUNDLE_BYTES, MAX_DOCUMENTS } from './policy/compile.ts';
export * from './policy/documents.ts';
export type { PolicyFault } from './policy/faults.ts';
export { POLICY_DOCUMENT_SCHEMA, POLICY_SCHEMAS } from './policy/schemas.ts';
export * from './policy/snapshot.ts';
export { type BundleComparison, compareBundles, loosens } from './policy-compare/compare-bundles.ts';
export { findLoosened, type LoosenedExample } from './policy-compare/find-loosened.ts';
export type { Finding } from './policy-compare/findings.ts';
export { type SampleCase, sampleCases } from './policy-compare/sample-cases.ts';
export { lintBundle } from './policy-lint/lint-bundle.ts';
export type { LintWarning } from './policy-lint/lint-warning.ts';
export { runPolicyTest, runPolicyTests } from './policy-tests/run-policy-tests.ts';
export {
  type Requirements,
  requirementsOf,
  type StatedRequirement,
  type StatedReview,
} from './requirements.ts';
