/** Derives the secrets of webhooks, which are never stored, and signs messages as Standard Webhooks specifies. */
import { createHmac } from 'node:crypto';
import type { WebhookSecret } from '@writecheck/store/port/webhooks';
import { BOTH_SIGN_MS } from './schedule.ts';

/** Derives 32 bytes from the signing key of the log for one purpose. */
export type DeriveSecret = (purpose: string) => Uint8Array;

function secretBytes(derive: DeriveSecret, webhook: string, rotation: number): Uint8Array {
  return derive(`writecheck webhook v1 ${webhook} ${rotation}`);
}

/** As an owner sees it, once. */
export function secretOf(derive: DeriveSecret, webhook: string, rotation: number): string {
  return `whsec_${Buffer.from(secretBytes(derive, webhook, rotation)).toString('base64')}`;
}

/** The headers of one attempt: the id stays the same over retries, the timestamp is that of the attempt. */
export function signedHeaders(
  derive: DeriveSecret,
  webhook: WebhookSecret & { readonly id: string },
  message: { readonly id: string; readonly body: string },
  nowMs: number,
): { readonly [name: string]: string } {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const sign = (rotation: number): string => {
    const hmac = createHmac('sha256', secretBytes(derive, webhook.id, rotation));
    return `v1,${hmac.update(`${message.id}.${timestamp}.${message.body}`).digest('base64')}`;
  };
  const { rotation, rotatedAtMs } = webhook;
  const isOldValid = rotatedAtMs !== null && nowMs < rotatedAtMs + BOTH_SIGN_MS;
  const signatures = isOldValid ? [sign(rotation), sign(rotation - 1)] : [sign(rotation)];
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
