/** Every closed set of values on the wire. */

export const WRITE_INTENT_VERSION = 'write_intent.v1';
export const ACTION_REQUEST_VERSION = 'action_request.v1';

/** Ordered from loosest to strictest; a decision is the maximum over its gates. */
export const DECISIONS = ['allow', 'pause', 'block'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Ordered from loosest to strictest. */
export const WRITE_POLICIES = ['observe', 'enforce', 'block_on_mismatch'] as const;
export type WritePolicy = (typeof WRITE_POLICIES)[number];

export const AUTHORITY_STATES = ['valid', 'stale', 'expired', 'revoked', 'unknown'] as const;
export type AuthorityState = (typeof AUTHORITY_STATES)[number];

export const EXECUTION_STATUSES = { allow: 'permitted', pause: 'held_for_review', block: 'stopped' } as const;
export type ExecutionStatus = (typeof EXECUTION_STATUSES)[Decision];

/** The statuses of a control, with their published codes. */
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

/** The status of the facts of a control that a condition reads: those of a good item were used. */
export const FACTS_STATUSES = [
  'used',
  'missing',
  'stale',
  'expired',
  'untrusted',
  'failed',
  'revoked',
  'unrecognized',
] as const;
export type FactsStatus = (typeof FACTS_STATUSES)[number];

export const GATE_CODES = [
  'requirements_met',
  'frozen',
  'authority_unverified',
  'authority_mismatch',
  'workflow_unknown',
  'policy_unmatched',
  'policy_error',
  'limit_unreadable',
  'limit_exceeded',
] as const;
export type GateCode = (typeof GATE_CODES)[number];

export type ReasonCode = GateCode | Exclude<ControlCode, 'CONTROL_SATISFIED'>;

/** The results the engine recognizes. Anything else, even `pass`, is unrecognized. */
export const EVIDENCE_RESULTS = ['PASS', 'FAIL', 'REVOKED'] as const;

/** The built-in source of evidence that a person approved a write; no EvidenceSource may take its name. */
export const REVIEW_DESK = 'review-desk';

export const ASSURANCES = ['asserted', 'attested'] as const;
export type Assurance = (typeof ASSURANCES)[number];

export type Gate = 'freeze' | 'policy' | 'workflow' | 'limit' | 'authority' | 'control';
/** `inform` promises nothing: these facts may change the decision. */
export const REMEDIATION_ACTIONS = ['supply', 'withdraw', 'correct', 'operator', 'inform'] as const;
export type RemediationAction = (typeof REMEDIATION_ACTIONS)[number];
export type ProvenanceSource = 'workflow' | 'match' | 'request' | 'default';

export const ROLES = ['owner', 'author', 'reviewer', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

/** The roles that a service key may have: for CI and for auditors' scripts. */
export const SERVICE_ROLES = ['author', 'auditor'] as const satisfies readonly Role[];
export type ServiceRole = (typeof SERVICE_ROLES)[number];

export const PERSON_STATES = ['invited', 'active', 'disabled'] as const;
export type PersonState = (typeof PERSON_STATES)[number];

export const REVIEW_STATES = ['open', 'approved', 'rejected', 'expired', 'cancelled'] as const;
export type ReviewState = (typeof REVIEW_STATES)[number];

/** Why an approval no longer counts, or why a review was cancelled. */
export const REVIEW_CAUSES = ['used', 'run_out', 'outdated', 'cancelled', 'disabled'] as const;
export type ReviewCause = (typeof REVIEW_CAUSES)[number];

/** How certain the approver's identity must be, from least to most. */
export const REVIEW_IDENTITIES = ['any', 'person', 'passkey'] as const;
export type ReviewIdentity = (typeof REVIEW_IDENTITIES)[number];

/**
 * One sentence for each kind of log entry that people hear of. Webhooks send these kinds as events. Redemptions and
 * allows are missing because guards make thousands of them.
 */
export const EVENT_SENTENCES = {
  'decision.paused': 'A write was paused',
  'decision.blocked': 'A write was blocked',
  'decision.outcome': 'The outcome of a write was reported',
  'review.opened': 'A write needs your review',
  'review.asked': 'Another key asked for the same review',
  'review.verdict': 'A reviewer gave a verdict',
  'review.withdrawn': 'A reviewer withdrew a verdict',
  'review.commented': 'Somebody commented on a review',
  'review.approved': 'A review was approved',
  'review.rejected': 'A review was rejected',
  'review.expired': 'A review expired',
  'review.cancelled': 'A review was cancelled',
  'freeze.created': 'Writes were frozen',
  'freeze.lifted': 'A freeze was lifted',
  'policy.applied': 'A policy was applied',
  'limit.corrected': 'Draws of a limit were given back',
  'evidence.revoked': 'An attestation was revoked',
  'key.created': 'A key was created',
  'key.rotated': 'A key was rotated',
  'key.revoked': 'A key was revoked',
  'person.invited': 'A person was invited',
  'person.joined': 'A person joined',
  'person.changed': "A person's roles or groups changed",
  'person.reset': "A person's sign-in was reset",
  'person.disabled': 'A person was disabled',
  'person.removed': 'A person was removed',
  'workspace.renamed': 'The workspace was renamed',
  'workspace.suspended': 'The workspace was suspended',
  'workspace.resumed': 'The workspace was resumed',
  'workspace.deleted': 'The workspace was deleted',
  'workspace.granted': 'The workspace may create live keys',
  'webhook.created': 'A webhook was created',
  'webhook.changed': 'A webhook was changed',
  'webhook.deleted': 'A webhook was deleted',
  'records.erased': 'Records were erased',
  test: 'This is a test',
} as const;
export type WebhookEventType = keyof typeof EVENT_SENTENCES;
/** The last part of an event's name. */
export type EventOf<Kind extends string> =
  Extract<WebhookEventType, `${Kind}.${string}`> extends `${Kind}.${infer Event}` ? Event : never;
export const WEBHOOK_EVENTS = Object.keys(EVENT_SENTENCES) as readonly WebhookEventType[];

/**
 * Changes for which the log has only the author, and the id of the changed resource, under the name `of`.
 */
export const RESOURCE_CHANGES = {
  'workspace.renamed': { of: 'workspace' },
  'workspace.suspended': { of: 'workspace' },
  'workspace.resumed': { of: 'workspace' },
  'workspace.deleted': { of: 'workspace' },
  'workspace.granted': { of: 'workspace' },
  'webhook.created': { of: 'webhook' },
  'webhook.changed': { of: 'webhook' },
  'webhook.deleted': { of: 'webhook' },
} as const satisfies { readonly [kind: string]: { readonly of: string } };

export const WEBHOOK_FORMATS = ['standard', 'slack'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed', 'dropped'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What became of the write that was allowed. */
export const OUTCOMES = ['done', 'failed', 'unknown'] as const;
export type OutcomeResult = (typeof OUTCOMES)[number];
