/** Webhooks and their deliveries. */
import { DELIVERY_STATES, WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '@writecheck/contract';
import { bodyOf, choice, type Field, listOf, optional } from './fields.ts';
import { BODY_ERRORS, operations } from './operation.ts';
import { cursor, pageLimit } from './query-fields.ts';
import { count, described, list, named, nullable, object, type TypeOf, text, time, whole } from './shape.ts';
import { label } from './text-fields.ts';

export const WEBHOOK_URL_CHARACTERS_MAX = 2_048;

/** The allowed hosts are known elsewhere, so the URL is checked there. */
const url: Field<string> = {
  schema: { type: 'string', format: 'uri', maxLength: WEBHOOK_URL_CHARACTERS_MAX },
  isRequired: true,
  read: (value) => (typeof value === 'string' ? { value } : { fault: 'must be a string' }),
};
/** Each counts once. */
const events: Field<readonly (typeof WEBHOOK_EVENTS)[number][]> = {
  ...listOf(choice(...WEBHOOK_EVENTS), 1, 2 * WEBHOOK_EVENTS.length),
  read: (value) => {
    const read = listOf(choice(...WEBHOOK_EVENTS), 1, 2 * WEBHOOK_EVENTS.length).read(value);
    return 'fault' in read ? read : { value: [...new Set(read.value)] };
  },
};
/** A name, or nothing: an empty text removes it. */
const description: Field<string> = {
  schema: { ...label.schema, minLength: 0 },
  isRequired: true,
  read: (value) => (value === '' ? { value } : label.read(value)),
};
const format = choice(...WEBHOOK_FORMATS);
const state = choice('active', 'disabled');

export const DELIVERY = named(
  'Delivery',
  object({
    id: described('the `webhook-id`, the same at every attempt', text),
    type: choice(...WEBHOOK_EVENTS),
    at: described('when the event happened', time),
    state: choice(...DELIVERY_STATES),
    attempts: count,
    status: described('of the last response; null if there was none', nullable(whole)),
    nextAt: described('when it is tried next; null unless it is waiting', nullable(time)),
  }),
);
export const WEBHOOK = named(
  'Webhook',
  object({
    id: text,
    url: described('in full for owners, otherwise only its origin', text),
    events: list(choice(...WEBHOOK_EVENTS)),
    format,
    description: nullable(text),
    state,
    disabledBecause: described(
      '`gone`: the endpoint responded with 410; `failing`: the last attempt of a delivery failed',
      nullable(choice('owner', 'gone', 'failing')),
    ),
    createdAt: time,
    lastDelivery: nullable(DELIVERY),
  }),
);

export type Delivery = TypeOf<typeof DELIVERY>;
export type Webhook = TypeOf<typeof WEBHOOK>;

const ONE = object({ webhook: WEBHOOK });
const WITH_SECRET = object({
  webhook: WEBHOOK,
  secret: described('shown once; starts with `whsec_`', text),
});
const SENT = { 202: ['the delivery, which is in progress', object({ delivery: DELIVERY })] } as const;

export const WEBHOOKS = operations({
  createWebhook: {
    route: 'POST /v1/webhooks',
    access: 'managing',
    summary: 'send events of the workspace to a URL; the secret is shown once',
    body: bodyOf({ url, events, format: optional(format), description: optional(description) }),
    answers: { 201: ['the webhook and its secret', WITH_SECRET] },
    errors: [...BODY_ERRORS, 'plan_limit'],
  },
  listWebhooks: {
    route: 'GET /v1/webhooks',
    access: 'managing',
    summary: 'all webhooks of the workspace, never a secret',
    answers: { 200: ['the webhooks, oldest first', object({ webhooks: list(WEBHOOK) })] },
    errors: [],
  },
  readWebhook: {
    route: 'GET /v1/webhooks/{id}',
    access: 'managing',
    summary: 'one webhook',
    answers: { 200: ['the webhook', ONE] },
    errors: ['not_found'],
  },
  changeWebhook: {
    route: 'PATCH /v1/webhooks/{id}',
    access: 'managing',
    summary: 'change a webhook; one that becomes active again continues where it stopped',
    body: bodyOf({
      url: optional(url),
      events: optional(events),
      format: optional(format),
      description: optional(description),
      state: optional(state),
    }),
    answers: { 200: ['the webhook', ONE] },
    errors: [...BODY_ERRORS, 'not_found', 'overloaded'],
  },
  deleteWebhook: {
    route: 'DELETE /v1/webhooks/{id}',
    access: 'managing',
    summary: 'delete a webhook and its deliveries',
    answers: { 204: ['deleted', null] },
    errors: ['not_found'],
  },
  rotateWebhookSecret: {
    route: 'POST /v1/webhooks/{id}/rotate',
    access: 'managing',
    summary: 'replace the secret; for 24 hours both sign',
    answers: { 200: ['the webhook and its new secret', WITH_SECRET] },
    errors: ['not_found', 'overloaded'],
  },
  listDeliveries: {
    route: 'GET /v1/webhooks/{id}/deliveries',
    access: 'managing',
    summary: 'deliveries to a webhook, sent or waiting, newest first',
    query: bodyOf({ limit: optional(pageLimit), cursor }),
    answers: {
      200: [
        'a page; `nextCursor` is null at the end',
        object({ deliveries: list(DELIVERY), nextCursor: nullable(text) }),
      ],
    },
    errors: ['invalid_request', 'not_found'],
  },
  testWebhook: {
    route: 'POST /v1/webhooks/{id}/test',
    access: 'managing',
    summary: 'send a `test` event, whatever events the webhook is for',
    answers: SENT,
    errors: ['invalid_request', 'not_found', 'rate_limited'],
  },
  redeliver: {
    route: 'POST /v1/webhooks/{id}/deliveries/{delivery}/redeliver',
    access: 'managing',
    summary: 'send a delivery again, with the same `webhook-id`',
    answers: SENT,
    errors: ['invalid_request', 'not_found', 'rate_limited'],
  },
});
