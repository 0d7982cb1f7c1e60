/** The calls of the page about webhooks. */
import type { Delivery, Webhook } from '@writecheck/api';
import type { Sent } from '@writecheck/api/calls';
import { call } from '../api.ts';

/** Whether the endpoint refused the newest event, retries or not. */
export function isFailing({ lastDelivery }: Webhook): boolean {
  if (lastDelivery === null || lastDelivery.state === 'delivered') return false;
  return lastDelivery.state !== 'waiting' || lastDelivery.attempts > 0;
}

export function stateInWords({ state, status, attempts }: Delivery): string {
  const why = status === null ? '' : ` (HTTP ${status})`;
  if (state === 'waiting') return attempts === 0 ? 'waiting' : `failed so far${why}, will retry`;
  return state === 'failed' ? `failed${why}` : state;
}

export function listWebhooks(signal: AbortSignal) {
  return call('GET /v1/webhooks', { signal });
}

export function createWebhook(wish: Sent<'POST /v1/webhooks'>) {
  return call('POST /v1/webhooks', { json: wish });
}

export function changeWebhook(id: string, wish: Sent<'PATCH /v1/webhooks/{id}'>) {
  return call('PATCH /v1/webhooks/{id}', { in: { id }, json: wish });
}

export function deleteWebhook(id: string) {
  return call('DELETE /v1/webhooks/{id}', { in: { id } });
}

export function rotateSecret(id: string) {
  return call('POST /v1/webhooks/{id}/rotate', { in: { id } });
}

export function testWebhook(id: string) {
  return call('POST /v1/webhooks/{id}/test', { in: { id } });
}

export function listDeliveries(id: string, signal: AbortSignal) {
  return call('GET /v1/webhooks/{id}/deliveries', { in: { id }, signal });
}

export function redeliver(id: string, delivery: string) {
  return call('POST /v1/webhooks/{id}/deliveries/{delivery}/redeliver', {
    in: { id, delivery },
  });
}
