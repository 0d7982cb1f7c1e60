/**
 * The exports that decide, without those that only work on bundles: comparing, linting, testing and explaining
 * them.
 */
export type { AttestationChecks } from '@writecheck/contract';
export { type AppliedLimit, limitsOn } from './apply-limits.ts';
export { decide } from './decide.ts';
export { ENGINE_VERSION } from './engine-version.ts';
export { needsReviewFacts } from './evidence/review-facts.ts';
export {
  needsVerification,
  type VerificationRequest,
  verifyAttestations,
} from './evidence/verify-attestations.ts';
export { compileFreeze, type FreezeMatcher } from './freeze-match.ts';
export { digestOf } from './policy/build-limit.ts';
export { EMPTY_SNAPSHOT, snapshotSteps } from './policy/build-snapshot.ts';
export { compile } from './policy/compile.ts';
export type { PolicyDocument } from './policy/documents.ts';
export type { Limit, PolicySnapshot } from './policy/snapshot.ts';
export { type ReviewTerms, reviewTermsOf } from './review-terms.ts';
