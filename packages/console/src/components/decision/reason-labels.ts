/** Reasons in words, in one table for lists, counts and pages; the code itself is for machines. */
import type { ReasonCode } from '@writecheck/contract';

/** Told by the values of a write, not by the code that the service gives it. */
export const LOOK_ALIKE = 'look_alike';
export const BEYOND = 'beyond_limit';

const LABELS: { readonly [code in ReasonCode | typeof LOOK_ALIKE | typeof BEYOND]: string } = {
  [LOOK_ALIKE]: 'Look-alike value',
  [BEYOND]: 'Beyond a limit',
  requirements_met: 'Requirements met',
  frozen: 'Frozen',
  authority_unverified: 'Value not confirmed',
  authority_mismatch: 'Value differs from the source',
  workflow_unknown: 'Unknown workflow',
  policy_unmatched: 'No policy covers it',
  policy_error: 'Policy error',
  limit_unreadable: 'Limit cannot be read',
  limit_exceeded: 'Limit exceeded',
  CONTROL_EVIDENCE_MISSING: 'Check missing',
  CONTROL_FAILED: 'Check failed',
  CONTROL_EVIDENCE_STALE: 'Check too old',
  CONTROL_EVIDENCE_EXPIRED: 'Check expired',
  CONTROL_EVIDENCE_REVOKED: 'Check revoked',
  CONTROL_EVIDENCE_UNTRUSTED: 'Check not trusted',
  CONTROL_RESULT_UNRECOGNIZED: 'Result not recognized',
};

export function reasonLabel(code: string): string {
  return Object.hasOwn(LABELS, code) ? LABELS[code as ReasonCode] : code;
}

/** The filter of the decision list that finds them. */
export function reasonFilter(code: string): { readonly [name: string]: string } {
  return code === LOOK_ALIKE ? { is: 'lookalike' } : { reason_code: code };
}
