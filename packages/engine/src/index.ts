export { coverOf, isWhole } from './cover.ts';
export * from './deciding.ts';
export { POLICY_DOCUMENT_SCHEMA, POLICY_SCHEMAS } from './policy/schemas.ts';
export { type BundleComparison, compareBundles, loosens } from './policy-compare/compare-bundles.ts';
export { findLoosened, type LoosenedExample } from './policy-compare/find-loosened.ts';
export { type Finding, mayLoosen } from './policy-compare/findings.ts';
export { type SampleCase, sampleCases } from './policy-compare/sample-cases.ts';
export { lintBundle } from './policy-lint/lint-bundle.ts';
export type { LintWarning } from './policy-lint/lint-warning.ts';
export { runPolicyTest, runPolicyTests } from './policy-tests/run-policy-tests.ts';
export { supposeAttestations } from './policy-tests/suppose-attestations.ts';
export { SUPPOSED_KEY, supposeDrawn } from './policy-tests/suppose-drawn.ts';
export {
  type Requirements,
  requirementsOf,
  type StatedRequirement,
  type StatedReview,
} from './requirements.ts';
export { type ShownFact, shownFacts } from './shown-facts.ts';
