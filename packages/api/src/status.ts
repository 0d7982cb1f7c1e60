/** Liveness and readiness of the service, what a write would need, and evidence that no longer counts. */
import {
  ASSURANCES,
  CONTROL_CODES,
  DECISIONS,
  type LimitState,
  REVIEW_IDENTITIES,
  type Remediation,
  WRITE_POLICIES,
} from '@writecheck/contract';
import { WRITE } from './decisions.ts';
import { bodyOf, choice, flag, name } from './fields.ts';
import { BODY_ERRORS, CLOCK_ERRORS, operations } from './operation.ts';
import { constant, described, list, nullable, number, object, shape, text, time, whole } from './shape.ts';

const OK = object({ status: constant('ok') });
const names = nullable(list(text));
const FACTS = object({
  controlId: text,
  acceptedSources: names,
  maxAgeSeconds: nullable(number),
  assurance: choice(...ASSURANCES),
  bind: choice('intent', 'object'),
  use: nullable(choice('once')),
});
const REQUIREMENT = object({
  controlId: text,
  acceptedSources: names,
  maxAgeSeconds: nullable(number),
  assurance: choice(...ASSURANCES),
  use: nullable(choice('once')),
  review: described(
    'who may approve it in a review; null if no person may',
    nullable(
      object({
        groups: names,
        approvals: whole,
        identity: choice(...REVIEW_IDENTITIES),
        expiresIn: text,
        holdsFor: text,
        selfReview: flag,
      }),
    ),
  ),
  requiredBy: list(text),
  mode: choice(...WRITE_POLICIES),
  status: choice(...(Object.keys(CONTROL_CODES) as (keyof typeof CONTROL_CODES)[])),
});

export const STATUS = operations({
  health: {
    route: 'GET /healthz',
    access: 'open',
    summary: 'the process is running',
    answers: { 200: ['alive', OK] },
    errors: [],
  },
  readiness: {
    route: 'GET /readyz',
    access: 'open',
    summary: 'the service can decide: the store accepts writes and the service is not draining',
    answers: { 200: ['ready', OK] },
    errors: ['overloaded', 'store_unavailable', ...CLOCK_ERRORS],
  },
  readRequirements: {
    route: 'POST /v1/requirements',
    access: 'either',
    frequent: 'inquiry',
    summary: 'what a write would need; nothing is decided, recorded or charged',
    body: WRITE,
    answers: {
      200: [
        'as if everything in observe mode were enforced',
        object({
          requirements: list(REQUIREMENT),
          facts: described(
            'the controls whose facts a rule may read whose match fits, whatever its condition',
            list(FACTS),
          ),
          authority: object({
            applies: flag,
            acceptedSources: names,
            attestedBy: nullable(text),
            confirmedBy: nullable(text),
            status: nullable(text),
          }),
          limits: described(
            'the limits that apply, as a decision has them',
            list(shape<LimitState>({ type: 'object' })),
          ),
          evaluated: object({ decision: choice(...DECISIONS), reason_code: text }),
          remediation: list(shape<Remediation>({ type: 'object' })),
        }),
      ],
    },
    errors: [
      'rate_limited',
      'unsupported_media_type',
      'body_too_large',
      'malformed_json',
      'insufficient_scope',
      'unsupported_schema_version',
      'unknown_member',
      'invalid_intent',
      'overloaded',
      ...CLOCK_ERRORS,
    ],
  },
  revokeEvidence: {
    route: 'POST /v1/evidence/revocations',
    access: 'managing',
    summary: 'revoke an attestation by its source and id; later use of it blocks',
    body: bodyOf({ source: name, jti: name }),
    answers: {
      201: [
        'the revocation; revoking twice keeps the first time',
        object({ source: text, jti: text, revokedAt: time }),
      ],
    },
    errors: BODY_ERRORS,
  },
});
