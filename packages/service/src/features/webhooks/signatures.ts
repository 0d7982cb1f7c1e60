/** Signs messages as Standard Webhooks specifies. */
import { createHmac } from 'node:crypto';
import { BOTH_SIGN_MS } from './schedule.ts';
import { type DeriveSecret, type Sealed, secretBefore, secretOf } from './webhook-secrets.ts';

/**
 * The headers of one attempt: the id stays the same over retries, the timestamp is that of the attempt. Null if the
 * secret cannot be read.
 */
export function signedHeaders(
  derive: DeriveSecret,
  webhook: Sealed,
  message: { readonly id: string; readonly body: string },
  nowMs: number,
): { readonly [name: string]: string } | null {
  const secret = secretOf(derive, webhook);
  if (secret === null) return null;
  const timestamp = String(Math.floor(nowMs / 1_000));
  const sign = (key: Uint8Array): string => {
    const hmac = createHmac('sha256', key);
    return `v1,${hmac.update(`${message.id}.${timestamp}.${message.body}`).digest('base64')}`;
  };
  const { rotatedAtMs } = webhook;
  const isOldValid = rotatedAtMs !== null && nowMs < rotatedAtMs + BOTH_SIGN_MS;
  const before = isOldValid ? secretBefore(derive, webhook) : null;
  const signatures = before === null ? [sign(secret)] : [sign(secret), sign(before)];
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
