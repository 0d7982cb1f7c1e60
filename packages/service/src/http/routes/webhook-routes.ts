/** Manages the webhooks of a workspace. */

import { BODY_ERRORS, bodyOf, choice, type Field, label, listOf, optional } from '@writecheck/api';
import { WEBHOOK_EVENTS, WEBHOOK_FORMATS } from '@writecheck/contract';
import { type Answer, json, NO_CONTENT } from '../../answer.ts';
import { isOwner } from '../../people/refuse-actor.ts';
import { problemAnswer } from '../../problem-answer.ts';
import type { Refusal } from '../../refusal.ts';
import type { StoredWebhook } from '../../store/port/webhooks.ts';
import { URL_CHARACTERS_MAX } from '../../webhooks/check-url.ts';
import { shownWebhook } from '../../webhooks/show-webhook.ts';
import {
  changeWebhook,
  createWebhook,
  NO_WEBHOOK,
  rotateSecret,
  type WebhookParts,
} from '../../webhooks/webhook-desk.ts';
import { readJson } from '../read-json.ts';
import type { KeyedCall, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { SMALL_JSON } from './shared-schemas.ts';
import { SECRET_BODY, STATES, WEBHOOK_BODY, WEBHOOKS_BODY } from './webhook-schemas.ts';

/** What a URL must be is judged where the allowed hosts are known. */
const url: Field<string> = {
  schema: { type: 'string', format: 'uri', maxLength: URL_CHARACTERS_MAX },
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
const SETTINGS = {
  format: optional(choice(...WEBHOOK_FORMATS)),
  description: optional(description),
};
const CREATE = bodyOf({ url, events, ...SETTINGS });
const CHANGE = bodyOf({
  url: optional(url),
  events: optional(events),
  ...SETTINGS,
  state: optional(choice(...STATES)),
});

export function webhookRoutes({ webhooks: parts }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/webhooks',
      access: 'managing',
      body: { ...SMALL_JSON, schema: CREATE.schema },
      described: {
        operationId: 'createWebhook',
        summary: 'send events of the workspace to a URL; the secret is shown once',
        success: { 201: { description: 'the webhook and its secret', schema: SECRET_BODY } },
        errors: [...BODY_ERRORS, 'plan_limit'],
      },
      handle: async (call) => {
        const read = readJson(CREATE, call.body);
        if (read.kind === 'refused') return problemAnswer(call.context, read);
        const { format = 'standard', description } = read.value;
        const wish = { ...read.value, format, description: description || null };
        const made = await createWebhook(parts, call.actor.workspace, wish, call.context.nowMs);
        return answer(parts, call, made, 201);
      },
    },
    {
      method: 'GET',
      path: '/v1/webhooks',
      access: 'managing',
      described: {
        operationId: 'listWebhooks',
        summary: 'all webhooks of the workspace, never a secret',
        success: { 200: { description: 'the webhooks, oldest first', schema: WEBHOOKS_BODY } },
        errors: [],
      },
      handle: async (call) => {
        const webhooks = await parts.store.listWebhooks(call.actor.workspace);
        return json(200, { webhooks: await Promise.all(webhooks.map((each) => shown(parts, call, each))) });
      },
    },
    {
      method: 'GET',
      path: '/v1/webhooks/{id}',
      access: 'managing',
      described: {
        operationId: 'readWebhook',
        summary: 'one webhook',
        success: { 200: { description: 'the webhook', schema: WEBHOOK_BODY } },
        errors: ['not_found'],
      },
      handle: async (call) => {
        const webhook = await parts.store.findWebhook(call.actor.workspace, call.params.id!);
        return answer(parts, call, webhook === null ? NO_WEBHOOK : { kind: 'done', webhook });
      },
    },
    {
      method: 'PATCH',
      path: '/v1/webhooks/{id}',
      access: 'managing',
      body: { ...SMALL_JSON, schema: CHANGE.schema },
      described: {
        operationId: 'changeWebhook',
        summary: 'change a webhook; one that becomes active again continues where it stopped',
        success: { 200: { description: 'the webhook', schema: WEBHOOK_BODY } },
        errors: [...BODY_ERRORS, 'not_found', 'overloaded'],
      },
      handle: async (call) => {
        const read = readJson(CHANGE, call.body);
        if (read.kind === 'refused') return problemAnswer(call.context, read);
        const { description } = read.value;
        const wish = { ...read.value, ...(description === '' ? { description: null } : { description }) };
        const { workspace } = call.actor;
        return answer(
          parts,
          call,
          await changeWebhook(parts, workspace, call.params.id!, wish, call.context.nowMs),
        );
      },
    },
    {
      method: 'DELETE',
      path: '/v1/webhooks/{id}',
      access: 'managing',
      described: {
        operationId: 'deleteWebhook',
        summary: 'delete a webhook and its deliveries',
        success: { 204: { description: 'deleted', schema: null } },
        errors: ['not_found'],
      },
      handle: async ({ context, actor, params }) =>
        (await parts.store.deleteWebhook(actor.workspace, params.id!))
          ? NO_CONTENT
          : problemAnswer(context, NO_WEBHOOK),
    },
    {
      method: 'POST',
      path: '/v1/webhooks/{id}/rotate',
      access: 'managing',
      described: {
        operationId: 'rotateWebhookSecret',
        summary: 'replace the secret; for 24 hours both sign',
        success: { 200: { description: 'the webhook and its new secret', schema: SECRET_BODY } },
        errors: ['not_found', 'overloaded'],
      },
      handle: async (call) =>
        answer(
          parts,
          call,
          await rotateSecret(parts, call.actor.workspace, call.params.id!, call.context.nowMs),
        ),
    },
  ];
}

type Done = { readonly kind: 'done'; readonly webhook: StoredWebhook; readonly secret?: string };

async function answer(
  parts: WebhookParts,
  call: KeyedCall,
  done: Done | Refusal,
  status = 200,
): Promise<Answer> {
  if (done.kind === 'refused') return problemAnswer(call.context, done);
  const webhook = await shown(parts, call, done.webhook);
  return json(status, done.secret === undefined ? { webhook } : { webhook, secret: done.secret });
}

async function shown(parts: WebhookParts, { actor }: KeyedCall, webhook: StoredWebhook) {
  const { deliveries } = await parts.store.listDeliveries(webhook.id, null, 1);
  return shownWebhook(webhook, deliveries[0] ?? null, isOwner(actor));
}
