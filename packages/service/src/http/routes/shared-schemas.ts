/** Pieces of request rules and schemas that several routes share. */
import { SERVICE_ROLES } from '@writecheck/contract';
import type { JsonSchema } from '../../fields/body-fields.ts';

/** For bodies that are forms rather than documents. */
export const SMALL_JSON = { mediaTypes: ['application/json'], limitBytes: 64 * 1024 } as const;

export const textSchema: JsonSchema = { type: 'string' };
export const momentSchema: JsonSchema = { type: 'string', format: 'date-time' };
export const nullableMomentSchema: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
const nullableTextSchema: JsonSchema = { type: ['string', 'null'] };
const nullableTextsSchema: JsonSchema = { type: ['array', 'null'], items: { type: 'string' } };

/** Who made a change. */
export const WHO_SCHEMA: JsonSchema = {
  type: 'object',
  properties: { kind: { enum: ['person', 'owner_key', 'service_key'] }, id: textSchema },
  required: ['kind', 'id'],
};

export const keySchema: JsonSchema = {
  type: 'object',
  properties: {
    id: textSchema,
    kind: { enum: ['development', 'live', 'owner', 'service'] },
    name: textSchema,
    hint: textSchema,
    createdAt: momentSchema,
    expiresAt: nullableMomentSchema,
    lastUsedAt: nullableMomentSchema,
    revokedAt: nullableMomentSchema,
    rotatedAt: nullableMomentSchema,
    allowedSystems: nullableTextsSchema,
    allowedWorkflows: nullableTextsSchema,
    roles: { type: 'array', items: { enum: SERVICE_ROLES } },
    heldBy: nullableTextSchema,
    madeBy: nullableTextSchema,
    revokedBy: WHO_SCHEMA,
  },
  required: [
    'id',
    'kind',
    'name',
    'hint',
    'createdAt',
    'expiresAt',
    'lastUsedAt',
    'revokedAt',
    'rotatedAt',
    'allowedSystems',
    'allowedWorkflows',
    'heldBy',
    'madeBy',
  ],
};

export const BODY_ERRORS = [
  'unsupported_media_type',
  'body_too_large',
  'malformed_json',
  'invalid_request',
] as const;

/** Of a policy bundle; 0 before the first. */
export const REVISION = { type: 'integer', minimum: 0 };
