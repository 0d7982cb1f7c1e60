/** Reason codes in words; the code itself is for machines. */
import type { ReasonCode } from '@writecheck/contract';

const LABELS: { readonly [code in ReasonCode]: string } = {
  requirements_met: 'Requirements met',
  frozen: 'Frozen',
  authority_unverified: 'Value not confirmed',
  authority_mismatch: 'Value differs from the source',
  workflow_unknown: 'Unknown workflow',
  policy_unmatched: 'No policy covers it',
  policy_error: 'Policy error',
  CONTROL_EVIDENCE_MISSING: 'Evidence missing',
  CONTROL_FAILED: 'Check failed',
  CONTROL_EVIDENCE_STALE: 'Evidence too old',
  CONTROL_EVIDENCE_EXPIRED: 'Evidence expired',
  CONTROL_EVIDENCE_REVOKED: 'Evidence revoked',
  CONTROL_EVIDENCE_UNTRUSTED: 'Evidence not trusted',
  CONTROL_RESULT_UNRECOGNIZED: 'Result not recognized',
};

export function reasonLabel(code: string): string {
  return Object.hasOwn(LABELS, code) ? LABELS[code as ReasonCode] : code;
}
