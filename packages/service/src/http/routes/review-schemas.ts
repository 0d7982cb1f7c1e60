/** The shape of a review on the wire. */
import {
  type JsonSchema,
  REVIEW_CAUSES,
  REVIEW_DESK,
  REVIEW_IDENTITIES,
  REVIEW_STATES,
} from '@writecheck/contract';
import { momentSchema, nullableMomentSchema, textSchema } from './shared-schemas.ts';

const nullableText: JsonSchema = { type: ['string', 'null'] };
const texts: JsonSchema = { type: 'array', items: textSchema };
const identity: JsonSchema = { enum: REVIEW_IDENTITIES };

/** All members are always present, except those named optional. */
function objectOf(properties: { readonly [name: string]: JsonSchema }, optional: readonly string[] = []) {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required };
}

function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function author(...kinds: readonly string[]): JsonSchema {
  return {
    ...objectOf({ kind: { enum: kinds }, id: textSchema, name: nullableText }),
    description: 'not for checking keys',
  };
}

const control = objectOf({
  controlId: textSchema,
  groups: { type: ['array', 'null'], items: textSchema },
  approvals: { type: 'integer' },
  identity,
  selfReview: { type: 'boolean' },
});
const verdict = objectOf(
  {
    verdict: { enum: ['approve', 'reject'] },
    by: author('person', 'owner_key'),
    identity,
    controls: texts,
    comment: nullableText,
    at: momentSchema,
  },
  ['by'],
);
const comment = objectOf(
  { text: textSchema, by: author('person', 'owner_key', 'checking_key'), at: momentSchema },
  ['by'],
);
const asker = objectOf({
  keyId: textSchema,
  keyName: nullableText,
  justification: nullableText,
  onBehalfOf: nullableText,
  externalRef: nullableText,
  at: momentSchema,
});
const evidence = objectOf({
  controlId: textSchema,
  source: { const: REVIEW_DESK },
  result: { const: 'PASS' },
  checkedAt: momentSchema,
  expiresAt: momentSchema,
  evidenceRef: textSchema,
});

/** One of the schemas that the OpenAPI document names. */
export const REVIEW_SCHEMA: JsonSchema = objectOf(
  {
    id: textSchema,
    state: { enum: REVIEW_STATES },
    because: { enum: REVIEW_CAUSES },
    decisionId: textSchema,
    intentDigest: textSchema,
    intent: { type: 'object', description: 'for a checking key only what the digest covers' },
    keyKind: { enum: ['development', 'live'] },
    controls: listOf(control),
    different: {
      ...listOf(texts),
      description:
        'of each of these lists of controls, no approval of one author counts for two; not for checking keys',
    },
    confirms: {
      ...nullableText,
      description: 'the control whose approval also confirms authority; not for checking keys',
    },
    alsoNeeded: { ...listOf({ type: 'object' }), description: 'what the caller must also supply' },
    verdicts: listOf(verdict),
    comments: listOf(comment),
    askedBy: { ...listOf(asker), description: 'for a checking key only its own entries' },
    excludedByCaller: {
      ...listOf(objectOf({ id: textSchema, name: textSchema })),
      description:
        'people who may not approve because an `onBehalfOf` is their address; they may reject and cancel; not for checking keys',
    },
    earlier: {
      ...listOf(objectOf({ id: textSchema, state: { enum: REVIEW_STATES }, at: momentSchema })),
      description: 'reviews of similar writes within 24 hours, rejected ones first; not for checking keys',
    },
    openedAt: momentSchema,
    expiresAt: momentSchema,
    resolvedAt: nullableMomentSchema,
    validUntil: nullableMomentSchema,
    evidence: {
      ...listOf(evidence),
      description: 'to send with the next check, while it is valid; only for checking keys',
    },
    url: { type: 'string', format: 'uri', description: 'the page that shows the review to a person' },
  },
  ['because', 'different', 'confirms', 'excludedByCaller', 'earlier', 'evidence'],
);

const review: JsonSchema = { $ref: '#/components/schemas/Review' };

export const REVIEW_BODY = objectOf({ review });
export const REVIEWS_BODY = objectOf({ reviews: listOf(review), nextCursor: nullableText });
