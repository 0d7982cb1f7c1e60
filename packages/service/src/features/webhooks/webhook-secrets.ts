/**
 * The secrets of webhooks: random, and stored only sealed under a key that the signing key derives. Reading the
 * database alone reveals none, and changing it cannot give one webhook the secret of another.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { WebhookSecret } from '@writecheck/store/port/webhooks';

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

/** Null if it cannot be read. */
export function secretOf(derive: DeriveSecret, { id, sealed, rotation }: Sealed): Uint8Array | null {
  return unseal(derive, sealed, id, rotation);
}

/** The one before the last rotation; null if there is none, or it cannot be read. */
export function secretBefore(derive: DeriveSecret, webhook: Sealed): Uint8Array | null {
  const { id, sealedBefore, rotation, rotatedAtMs } = webhook;
  if (rotatedAtMs === null || sealedBefore === null) return null;
  return unseal(derive, sealedBefore, id, rotation - 1);
}

function sealingKey(derive: DeriveSecret): Uint8Array {
  return derive('writecheck webhook seal v1');
}

function placeOf(webhook: string, rotation: number): Buffer {
  return Buffer.from(`${webhook} ${rotation}`);
}
