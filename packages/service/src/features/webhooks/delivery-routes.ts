/** Shows what was sent to a webhook, tests it and sends again. */
import { PAGE_DEFAULT_MAX, WEBHOOKS } from '@writecheck/api';
import type { StoredDelivery } from '@writecheck/store/port/webhooks';
import type { Answer } from '../../exchange/answer.ts';
import { answer, implement } from '../../exchange/implement.ts';
import { readQuery } from '../../exchange/read-json.ts';
import { BAD_CURSOR, type Refusal } from '../../exchange/refusal.ts';
import type { Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { shownDelivery } from './show-webhook.ts';
import { NO_WEBHOOK, redeliver, testWebhook, type WebhookParts } from './webhook-desk.ts';

export function deliveryRoutes({ webhooks: parts }: ServiceParts): readonly Route[] {
  return [
    implement(WEBHOOKS.listDeliveries, async ({ actor, params, query }) => {
      const read = readQuery(WEBHOOKS.listDeliveries.query, query);
      if (read.kind === 'refused') return read;
      const { limit = PAGE_DEFAULT_MAX, cursor } = read.value;
      const webhook = await parts.store.findWebhook(actor.workspace, params.id);
      if (webhook === null) return NO_WEBHOOK;
      const last = cursor === undefined ? null : await deliveryAt(parts, webhook.id, cursor);
      if (last === undefined) return BAD_CURSOR;
      const page = await parts.store.listDeliveries(webhook.id, last?.number ?? null, limit);
      // INVARIANT: an id and not its number, which counts the deliveries of every workspace.
      const nextCursor = page.next === null ? null : page.deliveries.at(-1)!.id;
      return answer(WEBHOOKS.listDeliveries, {
        deliveries: page.deliveries.map(shownDelivery),
        nextCursor,
      });
    }),
    implement(WEBHOOKS.testWebhook, async ({ context, actor, params }) =>
      sent(await testWebhook(parts, actor.workspace, params.id, context.nowMs)),
    ),
    implement(WEBHOOKS.redeliver, async ({ context, actor, params: { id, delivery } }) =>
      sent(await redeliver(parts, actor.workspace, id!, delivery!, context.nowMs)),
    ),
  ];
}

/** Undefined if the webhook has no such delivery. */
async function deliveryAt(
  { store }: WebhookParts,
  webhook: string,
  cursor: string,
): Promise<StoredDelivery | undefined> {
  return /^msg_[0-9a-f]{32}$/.test(cursor) ? (await store.findDeliveries(webhook, [cursor]))[0] : undefined;
}

function sent(
  done: { readonly kind: 'done'; readonly delivery: StoredDelivery } | Refusal,
): Answer | Refusal {
  if (done.kind === 'refused') return done;
  return answer(WEBHOOKS.testWebhook, { delivery: shownDelivery(done.delivery) });
}
