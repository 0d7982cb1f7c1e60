/** The OpenID AuthZEN Authorization API 1.0: the same decisions for any enforcement point. */
import { EVALUATIONS_MAX } from '@writecheck/contract';
import { CHECK_ERRORS } from './decisions.ts';
import { flag } from './fields.ts';
import { operations } from './operation.ts';
import { anyObject, list, object, shape, text } from './shape.ts';

const ENTITY = { type: 'object', properties: { properties: { type: 'object' } } } as const;
const EVALUATION = {
  type: 'object',
  properties: { subject: ENTITY, action: ENTITY, resource: ENTITY, context: { type: 'object' } },
} as const;
const DECIDED = object({ decision: flag, context: anyObject });
const ERRORS = [...CHECK_ERRORS, 'invalid_intent', 'insufficient_scope', 'quota_exceeded'] as const;

export const AUTHZEN = operations({
  evaluate: {
    route: 'POST /access/v1/evaluation',
    access: 'checking',
    frequent: 'check',
    summary: 'AuthZEN: evaluate one request; it is a check, recorded and charged',
    body: shape<object>({ ...EVALUATION, required: ['subject', 'action', 'resource'] }),
    answers: { 200: ['`decision` is true exactly for an allow', DECIDED] },
    errors: ERRORS,
  },
  evaluateMany: {
    route: 'POST /access/v1/evaluations',
    access: 'checking',
    frequent: 'check',
    summary: 'AuthZEN: evaluate several requests with common defaults; each is recorded and charged',
    body: shape<object>({
      ...EVALUATION,
      properties: {
        ...EVALUATION.properties,
        evaluations: { type: 'array', maxItems: EVALUATIONS_MAX, items: EVALUATION },
        options: { type: 'object' },
      },
    }),
    answers: {
      200: [
        'in order; without `evaluations` in the request, one decision as from `/access/v1/evaluation`',
        shape<object>({
          anyOf: [object({ evaluations: list(DECIDED) }).schema, DECIDED.schema],
        }),
      ],
    },
    errors: ERRORS,
  },
  readAuthzenMetadata: {
    route: 'GET /.well-known/authzen-configuration',
    access: 'open',
    summary: 'AuthZEN: where the evaluation endpoints are',
    answers: {
      200: [
        'the metadata',
        object({
          policy_decision_point: text,
          access_evaluation_endpoint: text,
          access_evaluations_endpoint: text,
        }),
        'application/json',
      ],
    },
    errors: [],
  },
});
