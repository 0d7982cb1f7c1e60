/** The published schema of a decision response. */
import {
  ASSURANCES,
  AUTHORITY_STATES,
  CONTROL_CODES,
  DECISIONS,
  EXECUTION_STATUSES,
  FACTS_STATUSES,
  GATE_CODES,
  REMEDIATION_ACTIONS,
  WRITE_INTENT_VERSION,
  WRITE_POLICIES,
} from '../vocabulary.ts';
import { DECISION_EXAMPLE } from './decision-example.ts';
import type { JsonSchema } from './request-members.ts';

const STRING: JsonSchema = { type: 'string' };
const STRINGS: JsonSchema = { type: 'array', items: STRING };
const BOOLEAN: JsonSchema = { type: 'boolean' };
const DATE_TIME: JsonSchema = { type: 'string', format: 'date-time' };
const DIGEST: JsonSchema = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' };

function identifier(prefix: string, description: string): JsonSchema {
  return { type: 'string', pattern: `^${prefix}_[0-9a-f]{32}$`, description };
}

const REASON_CODE: JsonSchema = {
  enum: [...GATE_CODES, ...Object.values(CONTROL_CODES).filter((code) => code !== CONTROL_CODES.satisfied)],
  description: 'the reason, for machines; a code never changes its meaning',
};
const EXECUTION_STATUS: JsonSchema = {
  enum: Object.values(EXECUTION_STATUSES),
  description: 'what the caller may do; the service never says that a write happened',
};
const REQUIRED_CONTROLS: JsonSchema = {
  ...STRINGS,
  description: 'the required controls, each once',
};

const CONTROL_EVALUATION: JsonSchema = {
  type: 'object',
  required: ['controlId', 'present', 'status', 'code', 'effect', 'authorityState'],
  properties: {
    controlId: STRING,
    present: { ...BOOLEAN, description: 'whether any evidence names the control' },
    result: STRING,
    source: STRING,
    checkedAt: STRING,
    evidenceRef: STRING,
    fresh: { ...BOOLEAN, description: 'present if the control has a max age or the age is known' },
    status: { enum: Object.keys(CONTROL_CODES) },
    code: { enum: Object.values(CONTROL_CODES) },
    effect: { enum: DECISIONS },
    authorityState: { enum: AUTHORITY_STATES },
  },
};
const CONTROL_EVALUATIONS: JsonSchema = {
  type: 'array',
  items: CONTROL_EVALUATION,
  description: 'the evaluation of each required control, in required order',
};

const PROFILE_PROVENANCE: JsonSchema = {
  type: 'object',
  description: 'where the requirements came from',
  properties: {
    profileId: STRING,
    profileVersion: STRING,
    controlPackId: STRING,
    policyRef: STRING,
    source: { enum: ['workflow', 'match', 'request', 'default'] },
  },
};

const REQUIREMENT_PROVENANCE: JsonSchema = {
  type: 'array',
  description: 'every source of each required control',
  items: {
    type: 'object',
    required: ['controlId', 'sources'],
    properties: {
      controlId: STRING,
      sources: STRINGS,
      diagnosePromotion: {
        type: 'object',
        properties: {
          source: STRING,
          assessmentRef: STRING,
          runRef: STRING,
          promotedAt: STRING,
          promotedBy: STRING,
          status: STRING,
        },
      },
    },
  },
};

const REMEDIATION: JsonSchema = {
  type: 'array',
  description:
    'what would turn the evaluated decision into allow, if every action except inform is supply; the facts that inform names may change the decision',
  items: {
    type: 'object',
    required: ['gate', 'action', 'need'],
    properties: {
      gate: { enum: ['freeze', 'policy', 'workflow', 'limit', 'authority', 'control'] },
      freezeId: STRING,
      controlId: STRING,
      limitId: STRING,
      action: { enum: REMEDIATION_ACTIONS },
      need: STRING,
      acceptedSources: STRINGS,
      maxAgeSeconds: { type: 'number', minimum: 0 },
      assurance: { enum: ASSURANCES },
    },
  },
};

const REVIEW: JsonSchema = {
  type: 'object',
  description: 'a person could resolve this pause: open a review for this decision',
  required: ['controls'],
  properties: {
    controls: {
      ...STRINGS,
      minItems: 1,
      uniqueItems: true,
      description: 'the controls a person would approve',
    },
  },
};

const FACTS: JsonSchema = {
  type: 'array',
  minItems: 1,
  description: 'the controls whose facts a condition reads, by id',
  items: {
    type: 'object',
    required: ['controlId', 'status'],
    properties: {
      controlId: STRING,
      status: { enum: FACTS_STATUSES, description: 'used if a good item gave facts' },
      source: STRING,
      checkedAt: STRING,
    },
  },
};

const AMOUNT: JsonSchema = { type: 'string', pattern: '^[0-9]+(?:[.][0-9]+)?$' };
const AMOUNT_OR_NULL: JsonSchema = { anyOf: [AMOUNT, { type: 'null' }] };

/** Shared with `POST /v1/requirements`. */
export const LIMITS: JsonSchema = {
  type: 'array',
  description: 'the limits that apply, by id, before this write draws on them',
  minItems: 1,
  items: {
    type: 'object',
    required: ['id', 'version', 'max', 'drawn', 'draw', 'remaining', 'per', 'resetsAt', 'beyond', 'observed'],
    properties: {
      id: STRING,
      version: { type: ['string', 'null'] },
      max: AMOUNT,
      drawn: { ...AMOUNT_OR_NULL, description: 'in this window; null if the group cannot be read' },
      draw: { ...AMOUNT_OR_NULL, description: 'of this write; null if it cannot be read' },
      remaining: { ...AMOUNT_OR_NULL, description: 'max less drawn, at least 0' },
      per: { ...STRING, description: 'the window' },
      resetsAt: {
        anyOf: [DATE_TIME, { type: 'null' }],
        description: 'the end of a calendar window; when the oldest draw of a rolling one stops counting',
      },
      beyond: { ...BOOLEAN, description: 'whether this write takes more than the limit leaves' },
      observed: { ...BOOLEAN, description: 'whether the limit only observes' },
    },
  },
};

const ALWAYS_SENT = {
  success: { const: true },
  decision: { enum: DECISIONS, description: 'the caller writes on allow only' },
  allowed: { ...BOOLEAN, description: 'true exactly when the decision is allow' },
  reason: { type: 'string', minLength: 1, description: 'the reason, for people' },
  reason_code: REASON_CODE,
  reasonCode: REASON_CODE,
  decision_id: identifier('dec', 'the decision'),
  decisionId: identifier('dec', 'the same as decision_id'),
  audit_id: identifier('aud', 'the audit record'),
  auditId: identifier('aud', 'the same as audit_id'),
  request_id: {
    type: 'string',
    minLength: 1,
    maxLength: 128,
    description: "the caller's X-Request-ID, or ours",
  },
  traceId: { type: 'string', pattern: '^[0-9a-f]{32}$', description: 'the W3C trace' },
  schemaVersion: { const: WRITE_INTENT_VERSION },
  execution_status: EXECUTION_STATUS,
  executionStatus: EXECUTION_STATUS,
  required_controls: REQUIRED_CONTROLS,
  requiredControls: REQUIRED_CONTROLS,
  control_evaluations: CONTROL_EVALUATIONS,
  controlEvaluations: CONTROL_EVALUATIONS,
  profileProvenance: PROFILE_PROVENANCE,
  requirementProvenance: REQUIREMENT_PROVENANCE,
  writePolicy: {
    enum: WRITE_POLICIES,
    description: 'the strictest mode of what was enforced, else the default',
  },
  observeMode: { ...BOOLEAN, description: 'whether a policy in observe mode applied' },
  enforced: { ...BOOLEAN, description: 'false if the default decides and observes' },
  warn: { ...BOOLEAN, description: 'whether the evaluated decision differs from the decision' },
  failClosed: { ...BOOLEAN, description: 'the same as enforced' },
  timestamp: DATE_TIME,
  evaluatedDecision: {
    enum: DECISIONS,
    description: 'the decision if everything observed were enforced; it may be looser',
  },
  intentDigest: { ...DIGEST, description: 'of the write the decision is about' },
} as const satisfies { readonly [member: string]: JsonSchema };

function whenAllow(
  members: readonly ('decision' | 'evaluatedDecision')[],
  consequence: JsonSchema,
  otherwise: JsonSchema,
): JsonSchema {
  const properties = Object.fromEntries(members.map((member) => [member, { const: 'allow' }]));
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: { properties }, then: consequence, else: otherwise };
}

export const decisionSchema: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'urn:writecheck:schema:decision.v1',
  title: 'Decision',
  description: 'The response to a check. New members may appear; ignore those you do not know.',
  type: 'object',
  required: Object.keys(ALWAYS_SENT),
  properties: {
    ...ALWAYS_SENT,
    validUntil: { ...DATE_TIME, description: 'when the allow expires; on an allow only' },
    remediation: REMEDIATION,
    review: REVIEW,
    facts: FACTS,
    limits: LIMITS,
    warnings: { ...STRINGS, minItems: 1 },
    redemption: {
      type: 'object',
      description: 'the allow was redeemed with its decision; only the sender of this claim may write',
      required: ['redeemedAt', 'claim'],
      properties: { redeemedAt: { type: 'string', format: 'date-time' }, claim: STRING },
    },
  },
  allOf: [
    whenAllow(
      ['decision'],
      { properties: { allowed: { const: true } }, required: ['validUntil'] },
      {
        properties: { allowed: { const: false }, validUntil: false },
      },
    ),
    whenAllow(
      ['decision', 'evaluatedDecision'],
      { properties: { remediation: false } },
      { required: ['remediation'] },
    ),
    { anyOf: [{ properties: { decision: { const: 'pause' } } }, { properties: { review: false } }] },
  ],
  examples: [DECISION_EXAMPLE],
};
