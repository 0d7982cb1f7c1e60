/** Webhooks and deliveries as the API shows them. */
import type { Delivery, Webhook } from '@writecheck/api';
import { isoTime } from '@writecheck/contract';
import type { StoredDelivery, StoredWebhook } from '@writecheck/store/port/webhooks';

export function shownDelivery({
  id,
  type,
  atMs,
  state,
  attempts,
  status,
  nextAtMs,
}: StoredDelivery): Delivery {
  return {
    id,
    type,
    at: isoTime(atMs),
    state,
    attempts,
    status,
    nextAt: nextAtMs === null ? null : isoTime(nextAtMs),
  };
}

/** The path and query of a URL often hold a secret, so only owners see them. */
export function shownWebhook(webhook: StoredWebhook, last: StoredDelivery | null, isOwner: boolean): Webhook {
  return {
    id: webhook.id,
    url: isOwner ? webhook.url : new URL(webhook.url).origin,
    events: webhook.events,
    format: webhook.format,
    description: webhook.description,
    state: webhook.state,
    disabledBecause: webhook.because,
    createdAt: isoTime(webhook.createdAtMs),
    lastDelivery: last === null ? null : shownDelivery(last),
  };
}
