/** Pieces of request rules and schemas that several routes share. */
import type { JsonSchema } from '@writecheck/contract';

/** For bodies that are forms rather than documents. */
export const SMALL_JSON = { mediaTypes: ['application/json'], limitBytes: 64 * 1024 } as const;

export const textSchema: JsonSchema = { type: 'string' };
export const momentSchema: JsonSchema = { type: 'string', format: 'date-time' };
export const nullableMomentSchema: JsonSchema = { type: ['string', 'null'], format: 'date-time' };

/** Of a policy bundle; 0 before the first. */
export const REVISION = { type: 'integer', minimum: 0 };
