/** Manages the webhooks of a workspace, and shows, tests and repeats what was sent to them. */
import { type Delivery, PAGE_DEFAULT_MAX, WEBHOOKS, type Webhook } from '@writecheck/api';
import { isoTime } from '@writecheck/contract';
import type { StoredDelivery, StoredWebhook } from '@writecheck/store/port/webhooks';
import { actingOf } from '../../exchange/actor.ts';
import { type AnswerTo, answer, implement } from '../../exchange/implement.ts';
import { BAD_CURSOR, isRefusal, type Refusal } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { isOwner } from '../people/refuse-actor.ts';
import {
  type Change,
  changeWebhook,
  createWebhook,
  NO_WEBHOOK,
  redeliver,
  rotateSecret,
  testWebhook,
} from './manage-webhooks.ts';

export function webhookRoutes({ webhooks: parts, check }: ServiceParts): readonly Route[] {
  const changeOf = ({ actor, context }: KeyedCall): Change => ({
    workspace: actor.workspace,
    by: actingOf(actor),
    // Changes of webhooks are entries of the log, whose time never runs backwards.
    nowMs: check.clock.notBefore(context.nowMs),
  });
  const shown = async ({ actor }: KeyedCall, webhook: StoredWebhook): Promise<Webhook> => {
    const { deliveries } = await parts.store.listDeliveries(webhook.id, null, 1);
    return shownWebhook(webhook, deliveries[0], isOwner(actor));
  };
  return [
    implement(WEBHOOKS.createWebhook, async (call, { format = 'standard', description, ...asked }) => {
      const wish = { ...asked, format, description: description || null };
      const made = await createWebhook(parts, wish, changeOf(call));
      if (isRefusal(made)) return made;
      const webhook = await shown(call, made.webhook);
      return answer(WEBHOOKS.createWebhook, 201, { webhook, secret: made.secret });
    }),
    implement(WEBHOOKS.listWebhooks, async (call) => {
      const webhooks = await parts.store.listWebhooks(call.actor.workspace);
      return answer(WEBHOOKS.listWebhooks, 200, {
        webhooks: await Promise.all(webhooks.map((each) => shown(call, each))),
      });
    }),
    implement(WEBHOOKS.readWebhook, async (call) => {
      const found = await parts.store.findWebhook(call.actor.workspace, call.params.id);
      if (found === null) return NO_WEBHOOK;
      return answer(WEBHOOKS.readWebhook, 200, { webhook: await shown(call, found) });
    }),
    implement(WEBHOOKS.changeWebhook, async (call, asked) => {
      const wish = { ...asked, description: asked.description === '' ? null : asked.description };
      const changed = await changeWebhook(parts, call.params.id, wish, changeOf(call));
      if (isRefusal(changed)) return changed;
      return answer(WEBHOOKS.changeWebhook, 200, { webhook: await shown(call, changed) });
    }),
    implement(WEBHOOKS.deleteWebhook, async (call) => {
      const { workspace, by, nowMs } = changeOf(call);
      const isGone = await parts.store.deleteWebhook(workspace, call.params.id, by, nowMs);
      return isGone ? answer(WEBHOOKS.deleteWebhook, 204, null) : NO_WEBHOOK;
    }),
    implement(WEBHOOKS.rotateWebhookSecret, async (call) => {
      const done = await rotateSecret(parts, call.params.id, changeOf(call));
      if (isRefusal(done)) return done;
      const webhook = await shown(call, done.webhook);
      return answer(WEBHOOKS.rotateWebhookSecret, 200, { webhook, secret: done.secret });
    }),
    implement(WEBHOOKS.listDeliveries, async ({ actor, params, query }) => {
      const { limit = PAGE_DEFAULT_MAX, cursor } = query;
      const webhook = await parts.store.findWebhook(actor.workspace, params.id);
      if (webhook === null) return NO_WEBHOOK;
      // PostgreSQL fails on a text with a NUL.
      if (cursor !== undefined && !/^msg_[0-9a-f]{32}$/.test(cursor)) return BAD_CURSOR;
      const [last] = cursor === undefined ? [null] : await parts.store.findDeliveries(webhook.id, [cursor]);
      if (last === undefined) return BAD_CURSOR;
      const page = await parts.store.listDeliveries(webhook.id, last?.number ?? null, limit);
      // The cursor is an id, because the number of a delivery would reveal the deliveries of every workspace.
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

function sent(delivery: StoredDelivery | Refusal): AnswerTo<typeof WEBHOOKS.testWebhook> | Refusal {
  if (isRefusal(delivery)) return delivery;
  return answer(WEBHOOKS.testWebhook, 202, { delivery: shownDelivery(delivery) });
}

function shownDelivery({ id, type, atMs, nextAtMs, ...rest }: StoredDelivery): Delivery {
  const { state, attempts, status } = rest;
  const nextAt = nextAtMs === null ? null : isoTime(nextAtMs);
  return { id, type, at: isoTime(atMs), state, attempts, status, nextAt };
}

/** The path and query of a URL often hold a secret, so only owners see them. */
function shownWebhook(
  webhook: StoredWebhook,
  last: StoredDelivery | undefined,
  isOwnerAsking: boolean,
): Webhook {
  const { id, url, events, format, description, state, because, createdAtMs } = webhook;
  return {
    id,
    url: isOwnerAsking ? url : new URL(url).origin,
    events,
    format,
    description,
    state,
    disabledBecause: because,
    createdAt: isoTime(createdAtMs),
    lastDelivery: last === undefined ? null : shownDelivery(last),
  };
}
