/** Manages the webhooks of a workspace, and shows, tests and repeats what was sent to them. */
import { PAGE_DEFAULT_MAX, WEBHOOKS, type Webhook } from '@writecheck/api';
import type { StoredDelivery, StoredWebhook } from '@writecheck/store/port/webhooks';
import { actingOf } from '../../exchange/actor.ts';
import { type AnswerTo, answer, implement } from '../../exchange/implement.ts';
import { BAD_CURSOR, isRefusal, type Refusal } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { isOwner } from '../people/refuse-actor.ts';
import {
  changeWebhook,
  createWebhook,
  NO_WEBHOOK,
  redeliver,
  rotateSecret,
  testWebhook,
  type WebhookParts,
} from './manage-webhooks.ts';
import { shownDelivery, shownWebhook } from './show-webhook.ts';

export function webhookRoutes({ webhooks: parts, check }: ServiceParts): readonly Route[] {
  /** Changes of webhooks are entries of the log, whose time never runs backwards. */
  const timeOf = ({ context }: KeyedCall): number => check.clock.notBefore(context.nowMs);
  return [
    implement(WEBHOOKS.createWebhook, async (call, { format = 'standard', description, ...asked }) => {
      const { workspace } = call.actor;
      const wish = { ...asked, format, description: description || null };
      const made = await createWebhook(parts, workspace, wish, timeOf(call), actingOf(call.actor));
      if (made.kind === 'refused') return made;
      const webhook = await shown(parts, call, made.webhook);
      return answer(WEBHOOKS.createWebhook, 201, { webhook, secret: made.secret });
    }),
    implement(WEBHOOKS.listWebhooks, async (call) => {
      const webhooks = await parts.store.listWebhooks(call.actor.workspace);
      return answer(WEBHOOKS.listWebhooks, 200, {
        webhooks: await Promise.all(webhooks.map((each) => shown(parts, call, each))),
      });
    }),
    implement(WEBHOOKS.readWebhook, async (call) => {
      const found = await parts.store.findWebhook(call.actor.workspace, call.params.id);
      if (found === null) return NO_WEBHOOK;
      return answer(WEBHOOKS.readWebhook, 200, { webhook: await shown(parts, call, found) });
    }),
    implement(WEBHOOKS.changeWebhook, async (call, asked) => {
      const { actor, params } = call;
      const wish = { ...asked, description: asked.description === '' ? null : asked.description };
      const by = actingOf(actor);
      const changed = await changeWebhook(parts, actor.workspace, params.id, wish, timeOf(call), by);
      if (isRefusal(changed)) return changed;
      return answer(WEBHOOKS.changeWebhook, 200, { webhook: await shown(parts, call, changed) });
    }),
    implement(WEBHOOKS.deleteWebhook, async (call) => {
      const { actor, params } = call;
      const isGone = await parts.store.deleteWebhook(
        actor.workspace,
        params.id,
        actingOf(actor),
        timeOf(call),
      );
      return isGone ? answer(WEBHOOKS.deleteWebhook, 204, null) : NO_WEBHOOK;
    }),
    implement(WEBHOOKS.rotateWebhookSecret, async (call) => {
      const { actor, params } = call;
      const done = await rotateSecret(parts, actor.workspace, params.id, timeOf(call), actingOf(actor));
      if (done.kind === 'refused') return done;
      const webhook = await shown(parts, call, done.webhook);
      return answer(WEBHOOKS.rotateWebhookSecret, 200, { webhook, secret: done.secret });
    }),
    implement(WEBHOOKS.listDeliveries, async ({ actor, params, query }) => {
      const { limit = PAGE_DEFAULT_MAX, cursor } = query;
      const webhook = await parts.store.findWebhook(actor.workspace, params.id);
      if (webhook === null) return NO_WEBHOOK;
      const last = cursor === undefined ? null : await deliveryAt(parts, webhook.id, cursor);
      if (last === undefined) return BAD_CURSOR;
      const page = await parts.store.listDeliveries(webhook.id, last?.number ?? null, limit);
      // INVARIANT: an id and not its number, which counts the deliveries of every workspace.
      const nextCursor = page.next === null ? null : page.deliveries.at(-1)!.id;
      return answer(WEBHOOKS.listDeliveries, 200, {
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

async function shown(parts: WebhookParts, { actor }: KeyedCall, webhook: StoredWebhook): Promise<Webhook> {
  const { deliveries } = await parts.store.listDeliveries(webhook.id, null, 1);
  return shownWebhook(webhook, deliveries[0] ?? null, isOwner(actor));
}

/** Undefined if the webhook has no such delivery. */
async function deliveryAt(
  { store }: WebhookParts,
  webhook: string,
  cursor: string,
): Promise<StoredDelivery | undefined> {
  return /^msg_[0-9a-f]{32}$/.test(cursor) ? (await store.findDeliveries(webhook, [cursor]))[0] : undefined;
}

function sent(delivery: StoredDelivery | Refusal): AnswerTo<typeof WEBHOOKS.testWebhook> | Refusal {
  if (isRefusal(delivery)) return delivery;
  return answer(WEBHOOKS.testWebhook, 202, { delivery: shownDelivery(delivery) });
}
