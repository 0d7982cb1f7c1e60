/** The words that cross the wire: every closed set of values a caller or a reader may meet. */

export const WRITE_INTENT_VERSION = 'write_intent.v1';
export const ACTION_REQUEST_VERSION = 'action_request.v1';

/** From loosest to strictest: a decision is the maximum over its gates. */
export const DECISIONS = ['allow', 'pause', 'block'] as const;
export type Decision = (typeof DECISIONS)[number];

/** From loosest to strictest. */
export const WRITE_POLICIES = ['observe', 'enforce', 'block_on_mismatch'] as const;
export type WritePolicy = (typeof WRITE_POLICIES)[number];

export const AUTHORITY_STATES = ['valid', 'stale', 'expired', 'revoked', 'unknown'] as const;
export type AuthorityState = (typeof AUTHORITY_STATES)[number];

export const EXECUTION_STATUSES = { allow: 'permitted', pause: 'held_for_review', block: 'stopped' } as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[Decision];

/** What a control's evaluation can come to, each with its published code. */
export const CONTROL_CODES = {
  satisfied: 'CONTROL_SATISFIED',
  missing: 'CONTROL_EVIDENCE_MISSING',
  failed: 'CONTROL_FAILED',
  stale: 'CONTROL_EVIDENCE_STALE',
  expired: 'CONTROL_EVIDENCE_EXPIRED',
  revoked: 'CONTROL_EVIDENCE_REVOKED',
  untrusted: 'CONTROL_EVIDENCE_UNTRUSTED',
  unrecognized: 'CONTROL_RESULT_UNRECOGNIZED',
} as const;
export type ControlStatus = keyof typeof CONTROL_CODES;
export type ControlCode = (typeof CONTROL_CODES)[ControlStatus];

export const GATE_CODES = [
  'requirements_met',
  'authority_unverified',
  'authority_mismatch',
  'workflow_unknown',
  'policy_unmatched',
  'policy_error',
] as const;
export type GateCode = (typeof GATE_CODES)[number];

export type ReasonCode = GateCode | Exclude<ControlCode, 'CONTROL_SATISFIED'>;

/** The results the engine understands. Anything else, `pass` included, is unrecognized. */
export const EVIDENCE_RESULTS = ['PASS', 'FAIL', 'REVOKED'] as const;

/** The built-in source of evidence that a person approved a write; no EvidenceSource may take its name. */
export const REVIEW_DESK = 'review-desk';

export const ASSURANCES = ['asserted', 'attested'] as const;
export type Assurance = (typeof ASSURANCES)[number];

export type Gate = 'policy' | 'workflow' | 'authority' | 'control';
export type RemediationAction = 'supply' | 'withdraw' | 'correct' | 'operator';
export type ProvenanceSource = 'workflow' | 'match' | 'request' | 'default';
