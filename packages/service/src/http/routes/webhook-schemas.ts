/** The shapes of webhooks and deliveries on the wire. */
import { DELIVERY_STATES, type JsonSchema, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '@writecheck/contract';
import { momentSchema, nullableMomentSchema, textSchema } from './shared-schemas.ts';

export const STATES = ['active', 'disabled'] as const;
const nullableText: JsonSchema = { type: ['string', 'null'] };

/** All members are always present. */
function objectOf(properties: { readonly [name: string]: JsonSchema }): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** Both are among the schemas that the OpenAPI document names. */
export const DELIVERY_SCHEMA: JsonSchema = objectOf({
  id: { ...textSchema, description: 'the `webhook-id`, the same at every attempt' },
  type: { enum: WEBHOOK_EVENTS },
  at: { ...momentSchema, description: 'when the event happened' },
  state: { enum: DELIVERY_STATES },
  attempts: { type: 'integer', minimum: 0 },
  status: { type: ['integer', 'null'], description: 'of the last response; null if there was none' },
  nextAt: { ...nullableMomentSchema, description: 'when it is tried next; null unless it is waiting' },
});

const delivery: JsonSchema = { $ref: '#/components/schemas/Delivery' };

export const WEBHOOK_SCHEMA: JsonSchema = objectOf({
  id: textSchema,
  url: { ...textSchema, description: 'in full for owners, otherwise only its origin' },
  events: { type: 'array', items: { enum: WEBHOOK_EVENTS } },
  format: { enum: WEBHOOK_FORMATS },
  description: nullableText,
  state: { enum: STATES },
  disabledBecause: {
    enum: ['owner', 'gone', 'failing', null],
    description: '`gone`: the endpoint responded with 410; `failing`: the last attempt of a delivery failed',
  },
  createdAt: momentSchema,
  lastDelivery: { oneOf: [delivery, { type: 'null' }] },
});

const webhook: JsonSchema = { $ref: '#/components/schemas/Webhook' };

export const WEBHOOK_BODY = objectOf({ webhook });
export const WEBHOOKS_BODY = objectOf({ webhooks: { type: 'array', items: webhook } });
export const SECRET_BODY = objectOf({
  webhook,
  secret: { ...textSchema, description: 'shown once; starts with `whsec_`' },
});
export const DELIVERY_BODY = objectOf({ delivery });
export const DELIVERIES_BODY = objectOf({
  deliveries: { type: 'array', items: delivery },
  nextCursor: nullableText,
});
