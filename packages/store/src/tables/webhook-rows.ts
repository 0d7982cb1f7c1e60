/** Rows of webhooks and deliveries, which both databases store in the same way. */
import type {
  DisabledBecause,
  HeldWebhook,
  NewWebhook,
  StoredDelivery,
  StoredWebhook,
  WebhookCursor,
} from '../port/webhooks.ts';

export interface WebhookRow {
  readonly workspace: string;
  readonly id: string;
  readonly version: number;
  readonly url: string;
  readonly events: string;
  readonly format: StoredWebhook['format'];
  readonly description: string | null;
  readonly state: StoredWebhook['state'];
  readonly because: DisabledBecause | null;
  readonly signer: string;
  readonly sealed: string | null;
  readonly sealed_before: string | null;
  readonly rotation: number;
  readonly rotated_ms: number | null;
  readonly created_ms: number;
}

export interface HeldRow extends WebhookRow {
  readonly cursor: string;
  readonly leased_until_ms: number;
  readonly waiting: number;
}

export interface DeliveryRow {
  readonly number: number;
  readonly webhook: string;
  readonly id: string;
  readonly type: string;
  readonly at_ms: number;
  readonly data: string;
  readonly state: StoredDelivery['state'];
  readonly attempts: number;
  readonly status: number | null;
  readonly next_ms: number | null;
}

export function webhookRow(webhook: StoredWebhook): WebhookRow {
  return {
    workspace: webhook.workspace,
    id: webhook.id,
    version: webhook.version,
    url: webhook.url,
    events: JSON.stringify(webhook.events),
    format: webhook.format,
    description: webhook.description,
    state: webhook.state,
    because: webhook.because,
    signer: webhook.signer,
    sealed: webhook.sealed,
    sealed_before: webhook.sealedBefore,
    rotation: webhook.rotation,
    rotated_ms: webhook.rotatedAtMs,
    created_ms: webhook.createdAtMs,
  };
}

export function storedWebhook(row: WebhookRow): StoredWebhook {
  return {
    workspace: row.workspace,
    id: row.id,
    version: row.version,
    url: row.url,
    events: JSON.parse(row.events) as readonly string[],
    format: row.format,
    description: row.description,
    state: row.state,
    because: row.because,
    signer: row.signer,
    sealed: row.sealed,
    sealedBefore: row.sealed_before,
    rotation: row.rotation,
    rotatedAtMs: row.rotated_ms,
    createdAtMs: row.created_ms,
  };
}

export function heldWebhook(row: HeldRow): HeldWebhook {
  return {
    ...storedWebhook(row),
    cursor: JSON.parse(row.cursor) as WebhookCursor,
    leasedUntilMs: row.leased_until_ms,
    waiting: row.waiting,
  };
}

export function storedDelivery(row: DeliveryRow): StoredDelivery {
  return {
    number: row.number,
    webhook: row.webhook,
    id: row.id,
    type: row.type,
    atMs: row.at_ms,
    data: row.data,
    state: row.state,
    attempts: row.attempts,
    status: row.status,
    nextAtMs: row.next_ms,
  };
}

/** The cursor of a new webhook: behind everything that the logs hold now. */
export function firstCursor(
  { cursor }: NewWebhook,
  logs: readonly { readonly log: string; readonly size: number }[],
): string {
  const first: WebhookCursor = {
    ...cursor,
    logs: Object.fromEntries(logs.map(({ log, size }) => [log, size])),
  };
  return JSON.stringify(first);
}
