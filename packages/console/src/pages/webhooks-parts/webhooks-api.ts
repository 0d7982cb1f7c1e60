/** The calls of the page about webhooks. */
import { type DeliveryState, WEBHOOK_EVENTS, type WebhookFormat } from '@writecheck/contract';
import { callAs, type Outcome } from '../../api.ts';

/** What a webhook can subscribe to; every webhook gets its own tests. */
export const EVENTS = WEBHOOK_EVENTS.filter((event) => event !== 'test');

export interface Delivery {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly status: number | null;
  readonly nextAt: string | null;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly format: WebhookFormat;
  readonly description: string | null;
  readonly state: 'active' | 'disabled';
  readonly disabledBecause: 'owner' | 'gone' | 'failing' | null;
  readonly lastDelivery: Delivery | null;
}

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

export interface WithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

const SECRET = { webhook: 'object', secret: 'string' } as const;

export function listWebhooks(
  signal: AbortSignal,
): Promise<Outcome<{ readonly webhooks: readonly Webhook[] }>> {
  return callAs('GET', '/v1/webhooks', { signal, has: { webhooks: 'array' } });
}

export function createWebhook(wish: {
  readonly url: string;
  readonly events: readonly string[];
  readonly format: Webhook['format'];
}): Promise<Outcome<WithSecret>> {
  return callAs('POST', '/v1/webhooks', { json: wish, has: SECRET });
}

export function setState(id: string, state: Webhook['state']): Promise<Outcome<unknown>> {
  return callAs('PATCH', pathOf(id), { json: { state }, has: { webhook: 'object' } });
}

export function deleteWebhook(id: string): Promise<Outcome<unknown>> {
  return callAs('DELETE', pathOf(id));
}

export function rotateSecret(id: string): Promise<Outcome<WithSecret>> {
  return callAs('POST', `${pathOf(id)}/rotate`, { has: SECRET });
}

export function testWebhook(id: string): Promise<Outcome<unknown>> {
  return callAs('POST', `${pathOf(id)}/test`, { has: { delivery: 'object' } });
}

export function listDeliveries(
  id: string,
  signal: AbortSignal,
): Promise<Outcome<{ readonly deliveries: readonly Delivery[] }>> {
  return callAs('GET', `${pathOf(id)}/deliveries`, { signal, has: { deliveries: 'array' } });
}

export function redeliver(id: string, delivery: string): Promise<Outcome<unknown>> {
  const path = `${pathOf(id)}/deliveries/${encodeURIComponent(delivery)}/redeliver`;
  return callAs('POST', path, { has: { delivery: 'object' } });
}

function pathOf(id: string): string {
  return `/v1/webhooks/${encodeURIComponent(id)}`;
}
