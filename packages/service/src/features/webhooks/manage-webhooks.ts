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
import { cursorAt } from './table-events.ts';
import { type DeriveSecret, newSecret, seal, secretOf, shownSecret } from './webhook-secrets.ts';

const WEBHOOKS_MAX = 10;
/** Tests and redeliveries per workspace and hour. */
const CALLS: CallLimit = { most: 60, windowMs: HOUR_MS };

export interface WebhookParts {
  readonly store: Store;
  readonly allowed: AllowedTargets;
  /** The published line of the signing key, and what it derives: the key that seals secrets. */
  readonly signer: { readonly line: string; readonly derive: DeriveSecret };
  /** Wakes the deliverer of this process because something is due. */
  readonly wake: () => void;
}

interface WithSecret {
  readonly kind: 'done';
  readonly webhook: StoredWebhook;
  /** Shown once. */
  readonly secret: string;
}

export type Wish = Pick<WebhookSettings, 'url' | 'events' | 'format' | 'description'>;

type Changeable = Wish & Pick<WebhookSettings, 'state'>;
/** A member that was not sent is undefined. */
export type Changes = { readonly [member in keyof Changeable]?: Changeable[member] | undefined };

export const NO_WEBHOOK: Refusal = refuse(
  'not_found',
  'there is no such webhook in this workspace; `GET /v1/webhooks` lists them',
);
const NO_DELIVERY: Refusal = refuse(
  'not_found',
  'there is no such delivery of this webhook; `GET /v1/webhooks/{id}/deliveries` lists them',
);
const CHANGED_MEANWHILE: Refusal = refuseFor(
  1_000,
  'overloaded',
  'the webhook changed at the same time; try again',
);
/** How often a change is retried after another change came first. */
const TRIES_MAX = 5;

export async function createWebhook(
  parts: WebhookParts,
  workspace: string,
  wish: Wish,
  nowMs: number,
  by: Acting,
): Promise<WithSecret | Refusal> {
  const refusal = refuseUrl(parts, wish.url);
  if (refusal !== null) return refusal;
  const { store, signer } = parts;
  const id = newId('whk_', nowMs);
  const secret = newSecret();
  const common = {
    ...wish,
    workspace,
    id,
    createdAtMs: nowMs,
    ...sealedUnder(signer, id, 0, secret, null),
    rotatedAtMs: null,
    state: 'active',
    because: null,
  } as const;
  const cursor = await cursorAt(store, workspace, nowMs);
  const outcome = await store.createWebhook({ ...common, cursor }, WEBHOOKS_MAX, by);
  if (outcome.kind === 'too_many') {
    return refuse(
      'plan_limit',
      `a workspace has at most ${WEBHOOKS_MAX} webhooks; delete one you no longer use`,
    );
  }
  parts.wake();
  return { kind: 'done', webhook: { ...common, version: 1 }, secret: shownSecret(secret) };
}

export async function changeWebhook(
  parts: WebhookParts,
  workspace: string,
  id: string,
  wish: Changes,
  nowMs: number,
  by: Acting,
): Promise<StoredWebhook | Refusal> {
  const refusal = wish.url === undefined ? null : refuseUrl(parts, wish.url);
  if (refusal !== null) return refusal;
  return update(parts, workspace, id, nowMs, by, (webhook) => {
    const state = wish.state ?? webhook.state;
    const because = state === 'active' ? null : (webhook.because ?? 'owner');
    return { ...webhook, ...given(wish), state, because };
  });
}

/** The previous secret also signs for a day, if it can be read. */
export async function rotateSecret(
  parts: WebhookParts,
  workspace: string,
  id: string,
  nowMs: number,
  by: Acting,
): Promise<WithSecret | Refusal> {
  const { signer } = parts;
  const secret = newSecret();
  const rotated = await update(parts, workspace, id, nowMs, by, (webhook) => {
    const before = webhook.signer === signer.line ? secretOf(signer.derive, webhook) : null;
    return {
      ...webhook,
      ...sealedUnder(signer, id, webhook.rotation + 1, secret, before),
      rotatedAtMs: before === null ? null : nowMs,
    };
  });
  return isRefusal(rotated) ? rotated : { kind: 'done', webhook: rotated, secret: shownSecret(secret) };
}

/** `before` is the previous secret, if it still signs. */
function sealedUnder(
  { line, derive }: WebhookParts['signer'],
  id: string,
  rotation: number,
  secret: Uint8Array,
  before: Uint8Array | null,
): Pick<StoredWebhook, 'signer' | 'sealed' | 'sealedBefore' | 'rotation'> {
  return {
    signer: line,
    sealed: seal(derive, secret, id, rotation),
    sealedBefore: before === null ? null : seal(derive, before, id, rotation - 1),
    rotation,
  };
}

async function update(
  { store, wake }: WebhookParts,
  workspace: string,
  id: string,
  nowMs: number,
  by: Acting,
  change: (webhook: StoredWebhook) => StoredWebhook,
): Promise<StoredWebhook | Refusal> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const before = await store.findWebhook(workspace, id);
    if (before === null) return NO_WEBHOOK;
    const webhook = { ...change(before), version: before.version + 1 };
    const isResumed = before.state === 'disabled' && webhook.state === 'active';
    const dropsBeforeMs = isResumed ? nowMs - DROP_AFTER_MS : null;
    if (!(await store.changeWebhook(webhook, dropsBeforeMs, by, nowMs))) continue;
    wake();
    return webhook;
  }
  return CHANGED_MEANWHILE;
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
  const delivery = newId('msg_', nowMs);
  const data = JSON.stringify({ workspace, webhookId: id });
  const test = { id: delivery, type: 'test', atMs: nowMs, data, state: 'waiting' } as const;
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
