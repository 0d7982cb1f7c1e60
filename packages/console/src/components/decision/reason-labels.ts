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
  // For one decision, `reasonInShort` says which of the two it is.
  CONTROL_EVIDENCE_MISSING: 'Approval or check missing',
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

/** The code for what people type: a code or a label, or a part that only one of them has. Null if none is meant. */
export function reasonCalled(text: string): string | null {
  const wanted = plain(text);
  const codes = Object.keys(LABELS).filter((code) => code !== BEYOND);
  const namesOf = (code: string) => [plain(code), plain(reasonLabel(code))];
  const exact = codes.find((code) => namesOf(code).includes(wanted));
  const partly = codes.filter((code) => namesOf(code).some((name) => name.includes(wanted)));
  return exact ?? (partly.length === 1 ? partly[0]! : null);
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}

/** The filter of the decision list that finds them. */
export function reasonFilter(code: string): { readonly [name: string]: string } {
  return code === LOOK_ALIKE ? { is: 'lookalike' } : { reason_code: code };
}
