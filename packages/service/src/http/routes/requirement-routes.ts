/** Reports what a write would need, before a caller requests a decision. */

import {
  ASSURANCES,
  BODY_BYTES_MAX,
  CONTROL_CODES,
  DECISIONS,
  type JsonSchema,
  REVIEW_IDENTITIES,
  WRITE_POLICIES,
} from '@writecheck/contract';
import { reportRequirements } from '../../check-write/requirements.ts';
import { scopeOf } from '../../people/actor.ts';
import type { Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { textSchema } from './shared-schemas.ts';

const nullableText: JsonSchema = { type: ['string', 'null'] };
const texts: JsonSchema = { type: 'array', items: textSchema };
const nullableTexts: JsonSchema = { type: ['array', 'null'], items: textSchema };

function objectOf(properties: { readonly [name: string]: JsonSchema }, type: unknown = 'object'): JsonSchema {
  return { type, properties, required: Object.keys(properties) };
}

const REVIEW = objectOf(
  {
    groups: nullableTexts,
    approvals: { type: 'integer' },
    identity: { enum: REVIEW_IDENTITIES },
    expiresIn: textSchema,
    holdsFor: textSchema,
    selfReview: { type: 'boolean' },
  },
  ['object', 'null'],
);
const REQUIREMENT = objectOf({
  controlId: textSchema,
  acceptedSources: nullableTexts,
  maxAgeSeconds: { type: ['number', 'null'] },
  assurance: { enum: ASSURANCES },
  use: { enum: ['once', null] },
  review: { ...REVIEW, description: 'who may approve it in a review; null if no person may' },
  requiredBy: texts,
  mode: { enum: WRITE_POLICIES },
  status: { enum: Object.keys(CONTROL_CODES) },
});
const REQUIREMENTS = objectOf({
  requirements: { type: 'array', items: REQUIREMENT },
  authority: objectOf({
    applies: { type: 'boolean' },
    acceptedSources: nullableTexts,
    attestedBy: nullableText,
    confirmedBy: nullableText,
    status: nullableText,
  }),
  evaluated: objectOf({ decision: { enum: DECISIONS }, reason_code: textSchema }),
  remediation: { type: 'array', items: { type: 'object' } },
});

export function requirementRoutes({ check }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/requirements',
      access: 'either',
      isRated: true,
      body: {
        mediaTypes: ['application/json'],
        limitBytes: BODY_BYTES_MAX,
        schema: {
          anyOf: [
            { $ref: '#/components/schemas/WriteIntent' },
            { $ref: '#/components/schemas/ActionRequest' },
          ],
        },
      },
      described: {
        operationId: 'readRequirements',
        summary: 'what a write would need; nothing is decided, recorded or charged',
        success: {
          200: { description: 'as if everything in observe mode were enforced', schema: REQUIREMENTS },
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
          'clock_behind',
          'clock_ahead',
        ],
      },
      handle: ({ actor, body, context }) =>
        reportRequirements(check, {
          key: scopeOf(actor),
          checkingKey: actor.kind === 'checking_key' ? actor.key : null,
          body,
          context,
        }),
    },
  ];
}
