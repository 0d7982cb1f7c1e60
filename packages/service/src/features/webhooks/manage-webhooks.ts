/** Lets owners create, change, rotate, test and redeliver webhooks. */
import { given, HOUR_MS } from '@writecheck/contract';
import type { Store } from '@writecheck/store/port';
import type { Acting } from '@writecheck/store/port/acting';
import type {
  CallLimit,
  StoredDelivery,
  StoredWebhook,
  WebhookSettings,
} from '@writecheck/store/port/webhooks';
import { isRefusal, type Refusal, refuse, refuseAt, refuseFor } from '../../exchange/refusal.ts';
import type { AllowedTargets } from '../../support/config/allowed-targets.ts';
import { newId } from '../../support/ids/new-id.ts';
import { faultOfUrl } from './check-url.ts';
import { DROP_AFTER_MS } from './schedule.ts';
import { type DeriveSecret, newSecret, seal, secretOf, shownSecret } from './webhook-secrets.ts';

const WEBHOOKS_MAX = 10;
/** Tests and redeliveries per workspace and hour. */
const CALLS: CallLimit = { most: 60, windowMs: HOUR_MS };
/** How often a change is retried after another change came first. */
const TRIES_MAX = 5;

export interface WebhookParts {
  readonly store: Store;
  readonly allowed: AllowedTargets;
  /** The published line of the signing key, and what it derives: the key that seals secrets. */
  readonly signer: { readonly line: string; readonly derive: DeriveSecret };
  /** Wakes the deliverer of this process because something is due. */
  readonly wake: () => void;
}

/** Who changes a webhook of which workspace, and when. */
export interface Change {
  readonly workspace: string;
  readonly by: Acting;
  readonly nowMs: number;
}

interface WithSecret {
  readonly webhook: StoredWebhook;
  /** Shown once. */
  readonly secret: string;
}

type Settings = Omit<WebhookSettings, 'because'>;
/** A member that was not sent is undefined. */
type Changes = { readonly [member in keyof Settings]?: Settings[member] | undefined };

export const NO_WEBHOOK: Refusal = refuse(
  'not_found',
  'there is no such webhook in this workspace; `GET /v1/webhooks` lists them',
);
const NO_DELIVERY: Refusal = refuse(
  'not_found',
  'there is no such delivery of this webhook; `GET /v1/webhooks/{id}/deliveries` lists them',
);

export async function createWebhook(
  parts: WebhookParts,
  wish: Omit<Settings, 'state'>,
  { workspace, by, nowMs }: Change,
): Promise<WithSecret | Refusal> {
  const refusal = refuseUrl(parts, wish.url);
  if (refusal !== null) return refusal;
  const { store, signer, wake } = parts;
  const id = newId('whk_', nowMs);
  const secret = newSecret();
  const webhook = {
    ...wish,
    workspace,
    id,
    createdAtMs: nowMs,
    ...sealedUnder(signer, id, 0, secret, null),
    rotatedAtMs: null,
    state: 'active',
    because: null,
  } as const;
  const { kind } = await store.createWebhook(webhook, WEBHOOKS_MAX, by);
  if (kind === 'too_many') {
    const message = `a workspace has at most ${WEBHOOKS_MAX} webhooks; delete one you no longer use`;
    return refuse('plan_limit', message);
  }
  wake();
  return { webhook: { ...webhook, version: 1 }, secret: shownSecret(secret) };
}

export async function changeWebhook(
  parts: WebhookParts,
  id: string,
  wish: Changes,
  change: Change,
): Promise<StoredWebhook | Refusal> {
  const refusal = wish.url === undefined ? null : refuseUrl(parts, wish.url);
  if (refusal !== null) return refusal;
  return update(parts, id, change, (webhook) => {
    const state = wish.state ?? webhook.state;
    const because = state === 'active' ? null : (webhook.because ?? 'owner');
    return { ...webhook, ...given(wish), state, because };
  });
}

/** The previous secret also signs for a day, if it can be read. */
export async function rotateSecret(
  parts: WebhookParts,
  id: string,
  change: Change,
): Promise<WithSecret | Refusal> {
  const { signer } = parts;
  const secret = newSecret();
  const webhook = await update(parts, id, change, (old) => {
    const before = old.signer === signer.line ? secretOf(signer.derive, old) : null;
    const sealed = sealedUnder(signer, id, old.rotation + 1, secret, before);
    return { ...old, ...sealed, rotatedAtMs: before === null ? null : change.nowMs };
  });
  return isRefusal(webhook) ? webhook : { webhook, secret: shownSecret(secret) };
}

/** `before` is the previous secret, if it still signs. */
function sealedUnder(
  { line, derive }: WebhookParts['signer'],
  id: string,
  rotation: number,
  secret: Uint8Array,
  before: Uint8Array | null,
): Pick<StoredWebhook, 'signer' | 'sealed' | 'sealedBefore' | 'rotation'> {
  const sealedBefore = before === null ? null : seal(derive, before, id, rotation - 1);
  return { signer: line, sealed: seal(derive, secret, id, rotation), sealedBefore, rotation };
}

async function update(
  { store, wake }: WebhookParts,
  id: string,
  { workspace, by, nowMs }: Change,
  changed: (webhook: StoredWebhook) => StoredWebhook,
): Promise<StoredWebhook | Refusal> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = await store.findWebhook(workspace, id);
    if (before === null) return NO_WEBHOOK;
    const webhook = { ...changed(before), version: before.version + 1 };
    const isResumed = before.state === 'disabled' && webhook.state === 'active';
    const dropsBeforeMs = isResumed ? nowMs - DROP_AFTER_MS : null;
    if (!(await store.changeWebhook(webhook, dropsBeforeMs, by, nowMs))) continue;
    wake();
    return webhook;
  }
  return refuseFor(1_000, 'overloaded', 'the webhook changed at the same time; try again');
}

export async function testWebhook(
  parts: WebhookParts,
  workspace: string,
  id: string,
  nowMs: number,
): Promise<StoredDelivery | Refusal> {
  const webhook = await parts.store.findWebhook(workspace, id);
  const refusal = await refuseCall(parts, webhook, workspace, nowMs);
  if (refusal !== null) return refusal;
  const data = JSON.stringify({ workspace, webhookId: id });
  const test = { id: newId('msg_', nowMs), type: 'test', atMs: nowMs, data, state: 'waiting' } as const;
  if (!(await parts.store.addDelivery(id, test, nowMs))) return NO_WEBHOOK;
  parts.wake();
  return { ...test, webhook: id, number: 0, attempts: 0, status: null, nextAtMs: nowMs };
}

/** The same message with the same id, so that a receiver recognizes it; its retries start again. */
export async function redeliver(
  parts: WebhookParts,
  workspace: string,
  id: string,
  deliveryId: string,
  nowMs: number,
): Promise<StoredDelivery | Refusal> {
  const webhook = await parts.store.findWebhook(workspace, id);
  if (webhook === null) return NO_WEBHOOK;
  const [known] = await parts.store.findDeliveries(id, [deliveryId]);
  if (known === undefined) return NO_DELIVERY;
  const refusal = await refuseCall(parts, webhook, workspace, nowMs);
  if (refusal !== null) return refusal;
  const delivery = await parts.store.redeliver(id, deliveryId, nowMs);
  if (delivery === null) return NO_DELIVERY;
  parts.wake();
  return delivery;
}

async function refuseCall(
  { store }: WebhookParts,
  webhook: StoredWebhook | null,
  workspace: string,
  nowMs: number,
): Promise<Refusal | null> {
  if (webhook === null) return NO_WEBHOOK;
  if (webhook.state === 'disabled')
    return refuse('invalid_request', 'the webhook is disabled; set its `state` to `active` first');
  const { isAdmitted, sinceMs } = await store.countCall(workspace, CALLS, nowMs);
  if (isAdmitted) return null;
  const message = `a workspace may send ${CALLS.most} tests and redeliveries an hour; wait a while`;
  return refuseFor(sinceMs + CALLS.windowMs - nowMs, 'rate_limited', message);
}

function refuseUrl({ allowed }: WebhookParts, url: string): Refusal | null {
  const fault = faultOfUrl(url, allowed);
  return fault === null ? null : refuseAt('/url', `\`url\` ${fault}`);
}
