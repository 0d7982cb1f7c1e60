/**
 * The secrets of webhooks, and signatures with them as Standard Webhooks specifies. Secrets are random, and stored only
 * sealed under a key that the signing key derives: reading the database alone reveals none, and changing it cannot
 * give one webhook the secret of another.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { WebhookSecret } from '@writecheck/store/port/webhooks';
import { BOTH_SIGN_MS } from './schedule.ts';

/** Derives 32 bytes from the signing key of the log for one purpose. */
export type DeriveSecret = (purpose: string) => Uint8Array;

export type Sealed = WebhookSecret & { readonly id: string };

const SECRET_BYTES = 32;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function newSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/** The secret in the form that an owner sees, once. */
export function shownSecret(secret: Uint8Array): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}

export function seal(derive: DeriveSecret, secret: Uint8Array, webhook: string, rotation: number): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, sealingKey(derive), nonce).setAAD(placeOf(webhook, rotation));
  const sealed = [nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(sealed).toString('base64');
}

/** Null if this key did not seal it, for this webhook and rotation. */
function unseal(derive: DeriveSecret, sealed: string, webhook: string, rotation: number): Uint8Array | null {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length !== NONCE_BYTES + SECRET_BYTES + TAG_BYTES) return null;
  const cipher = createDecipheriv(CIPHER, sealingKey(derive), bytes.subarray(0, NONCE_BYTES));
  cipher.setAAD(placeOf(webhook, rotation)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()]);
  } catch {
    return null;
  }
}

function sealingKey(derive: DeriveSecret): Uint8Array {
  return derive('writecheck webhook seal v1');
}

function placeOf(webhook: string, rotation: number): Buffer {
  return Buffer.from(`${webhook} ${rotation}`);
}

/** Null if it cannot be read. */
export function secretOf(derive: DeriveSecret, { id, sealed, rotation }: Sealed): Uint8Array | null {
  return unseal(derive, sealed, id, rotation);
}

/** The secret before the last rotation while it still signs; null afterwards, and if it cannot be read. */
function secretBefore(derive: DeriveSecret, webhook: Sealed, nowMs: number): Uint8Array | null {
  const { id, sealedBefore, rotation, rotatedAtMs } = webhook;
  if (rotatedAtMs === null || sealedBefore === null || nowMs >= rotatedAtMs + BOTH_SIGN_MS) return null;
  return unseal(derive, sealedBefore, id, rotation - 1);
}

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
  const text = `${message.id}.${timestamp}.${message.body}`;
  const secrets = [secret, secretBefore(derive, webhook, nowMs)].filter((each) => each !== null);
  const signatures = secrets.map((key) => `v1,${createHmac('sha256', key).update(text).digest('base64')}`);
  return {
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
