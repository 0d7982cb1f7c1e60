/** Shows what was sent to a webhook, tests it and sends again. */

import { anyText, bodyOf, optional, PAGE_DEFAULT_MAX, pageLimit } from '@writecheck/api';
import { type Answer, json } from '../../answer.ts';
import { problemAnswer } from '../../problem-answer.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import type { StoredDelivery } from '../../store/port/webhooks.ts';
import { shownDelivery } from '../../webhooks/show-webhook.ts';
import { NO_WEBHOOK, redeliver, testWebhook, type WebhookParts } from '../../webhooks/webhook-desk.ts';
import { readQuery } from '../read-json.ts';
import type { KeyedCall, Route } from '../route.ts';
import type { ServiceParts } from '../service-parts.ts';
import { DELIVERIES_BODY, DELIVERY_BODY } from './webhook-schemas.ts';

const LIST = bodyOf({ limit: optional(pageLimit), cursor: optional(anyText) });

export function deliveryRoutes({ webhooks: parts }: ServiceParts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/webhooks/{id}/deliveries',
      access: 'managing',
      described: {
        operationId: 'listDeliveries',
        summary: 'deliveries to a webhook, sent or waiting, newest first',
        query: {
          limit: { description: 'maximum number of items', schema: LIST.members.limit! },
          cursor: { description: 'the `nextCursor` of the previous page', schema: LIST.members.cursor! },
        },
        success: { 200: { description: 'a page; `nextCursor` is null at the end', schema: DELIVERIES_BODY } },
        errors: ['invalid_request', 'not_found'],
      },
      handle: async ({ context, actor, params, query }) => {
        const read = readQuery(LIST, query);
        if (read.kind === 'refused') return problemAnswer(context, read);
        const { limit = PAGE_DEFAULT_MAX, cursor } = read.value;
        const webhook = await parts.store.findWebhook(actor.workspace, params.id!);
        if (webhook === null) return problemAnswer(context, NO_WEBHOOK);
        const last = cursor === undefined ? null : await deliveryAt(parts, webhook.id, cursor);
        if (last === undefined) return problemAnswer(context, BAD_CURSOR);
        const page = await parts.store.listDeliveries(webhook.id, last?.number ?? null, limit);
        // INVARIANT: an id and not its number, which counts the deliveries of every workspace.
        const nextCursor = page.next === null ? null : page.deliveries.at(-1)!.id;
        return json(200, { deliveries: page.deliveries.map(shownDelivery), nextCursor });
      },
    },
    {
      method: 'POST',
      path: '/v1/webhooks/{id}/test',
      access: 'managing',
      described: {
        operationId: 'testWebhook',
        summary: 'send a `test` event, whatever events the webhook is for',
        success: { 202: { description: 'the delivery, which is in progress', schema: DELIVERY_BODY } },
        errors: ['invalid_request', 'not_found', 'rate_limited'],
      },
      handle: async (call) => {
        const { context, actor, params } = call;
        return answer(call, await testWebhook(parts, actor.workspace, params.id!, context.nowMs));
      },
    },
    {
      method: 'POST',
      path: '/v1/webhooks/{id}/deliveries/{delivery}/redeliver',
      access: 'managing',
      described: {
        operationId: 'redeliver',
        summary: 'send a delivery again, with the same `webhook-id`',
        success: { 202: { description: 'the delivery, which is in progress', schema: DELIVERY_BODY } },
        errors: ['invalid_request', 'not_found', 'rate_limited'],
      },
      handle: async (call) => {
        const { context, actor, params } = call;
        const { id, delivery } = params;
        return answer(call, await redeliver(parts, actor.workspace, id!, delivery!, context.nowMs));
      },
    },
  ];
}

const BAD_CURSOR = refuse('invalid_request', '`cursor` must be the `nextCursor` of an earlier page', [
  { pointer: '/cursor', message: '`cursor` must be the `nextCursor` of an earlier page' },
]);

/** Undefined if the webhook has no such delivery. */
async function deliveryAt(
  { store }: WebhookParts,
  webhook: string,
  cursor: string,
): Promise<StoredDelivery | undefined> {
  return /^msg_[0-9a-f]{32}$/.test(cursor) ? (await store.findDeliveries(webhook, [cursor]))[0] : undefined;
}

function answer(
  { context }: KeyedCall,
  done: { readonly kind: 'done'; readonly delivery: StoredDelivery } | Refusal,
): Answer {
  if (done.kind === 'refused') return problemAnswer(context, done);
  return json(202, { delivery: shownDelivery(done.delivery) });
}
