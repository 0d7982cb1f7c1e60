/** Manages the webhooks of a workspace. */
import { WEBHOOKS, type Webhook } from '@writecheck/api';
import type { StoredWebhook } from '@writecheck/store/port/webhooks';
import { actingOf } from '../../exchange/actor.ts';
import { type Answer, json, NO_CONTENT } from '../../exchange/answer.ts';
import { answer, implement } from '../../exchange/implement.ts';
import type { Refusal } from '../../exchange/refusal.ts';
import type { KeyedCall, Route } from '../../exchange/route.ts';
import type { ServiceParts } from '../../parts/service-parts.ts';
import { isOwner } from '../people/refuse-actor.ts';
import { shownWebhook } from './show-webhook.ts';
import { changeWebhook, createWebhook, NO_WEBHOOK, rotateSecret, type WebhookParts } from './webhook-desk.ts';

export function webhookRoutes({ webhooks: parts, check }: ServiceParts): readonly Route[] {
  /** Changes of webhooks are entries of the log, whose time never runs backwards. */
  const timeOf = ({ context }: KeyedCall): number => check.clock.notBefore(context.nowMs);
  return [
    implement(WEBHOOKS.createWebhook, async (call, { format = 'standard', description, ...asked }) => {
      const wish = { ...asked, format, description: description || null };
      return one(
        parts,
        call,
        await createWebhook(parts, call.actor.workspace, wish, timeOf(call), actingOf(call.actor)),
        201,
      );
    }),
    implement(WEBHOOKS.listWebhooks, async (call) => {
      const webhooks = await parts.store.listWebhooks(call.actor.workspace);
      return answer(WEBHOOKS.listWebhooks, {
        webhooks: await Promise.all(webhooks.map((each) => shown(parts, call, each))),
      });
    }),
    implement(WEBHOOKS.readWebhook, async (call) => {
      const webhook = await parts.store.findWebhook(call.actor.workspace, call.params.id);
      return webhook === null ? NO_WEBHOOK : one(parts, call, { kind: 'done', webhook });
    }),
    implement(WEBHOOKS.changeWebhook, async (call, asked) => {
      const wish = { ...asked, description: asked.description === '' ? null : asked.description };
      const { workspace } = call.actor;
      return one(
        parts,
        call,
        await changeWebhook(parts, workspace, call.params.id, wish, timeOf(call), actingOf(call.actor)),
      );
    }),
    implement(WEBHOOKS.deleteWebhook, async (call) => {
      const { actor, params } = call;
      const isGone = await parts.store.deleteWebhook(
        actor.workspace,
        params.id,
        actingOf(actor),
        timeOf(call),
      );
      return isGone ? NO_CONTENT : NO_WEBHOOK;
    }),
    implement(WEBHOOKS.rotateWebhookSecret, async (call) => {
      const { actor, params } = call;
      const by = actingOf(actor);
      return one(parts, call, await rotateSecret(parts, actor.workspace, params.id, timeOf(call), by));
    }),
  ];
}

type Done = { readonly kind: 'done'; readonly webhook: StoredWebhook; readonly secret?: string };

async function one(
  parts: WebhookParts,
  call: KeyedCall,
  done: Done | Refusal,
  status = 200,
): Promise<Answer | Refusal> {
  if (done.kind === 'refused') return done;
  const webhook = await shown(parts, call, done.webhook);
  return json(status, done.secret === undefined ? { webhook } : { webhook, secret: done.secret });
}

async function shown(parts: WebhookParts, { actor }: KeyedCall, webhook: StoredWebhook): Promise<Webhook> {
  const { deliveries } = await parts.store.listDeliveries(webhook.id, null, 1);
  return shownWebhook(webhook, deliveries[0] ?? null, isOwner(actor));
}
