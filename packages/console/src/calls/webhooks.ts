/** Webhooks: how to list them, and whether their events arrive. */
import type { Delivery, Webhook } from '@writecheck/api';
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
