/** Captures an intent at the moment of the call, so that the sent and the digested intent are the same. */
import type { DigestInput } from '@writecheck/contract';
import { canonicalIntent } from './canonical-intent.ts';

export interface IntentSnapshot {
  readonly kind: 'snapshot';
  /** The body to send. */
  readonly json: string;
  /** The text that the digest covers. */
  readonly canonical: string;
}

export function snapshotIntent(intent: unknown): IntentSnapshot | { readonly kind: 'unusable' } {
  try {
    // INVARIANT: the intent is read once. Getters, toJSON and later changes can no longer separate the digest from the
    // body.
    const json = JSON.stringify(intent);
    const sent: unknown = JSON.parse(json);
    // V8 may misread a name with an escape (nodejs/node#63785), and then the digest would cover something else.
    if (json.includes('\\') && JSON.stringify(sent) !== json) return { kind: 'unusable' };
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return { kind: 'unusable' };
    return { kind: 'snapshot', json, canonical: canonicalIntent(sent as Readonly<Record<string, unknown>>) };
  } catch {
    return { kind: 'unusable' };
  }
}

/**
 * Uses WebCrypto instead of the contract's `intentDigest`, whose SHA-256 would be a third of the code that a page
 * loads.
 */
export async function digestOf(snapshot: IntentSnapshot): Promise<string> {
  return `sha256:${await sha256(snapshot.canonical)}`;
}

/** Rejects with a TypeError if the intent cannot be sent as JSON. */
export async function intentDigest(intent: DigestInput): Promise<string> {
  const snapshot = snapshotIntent(intent);
  if (snapshot.kind === 'unusable') throw new TypeError('the intent cannot be written as a JSON object');
  return digestOf(snapshot);
}

export async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return hex(new Uint8Array(hash));
}

/** Not randomUUID, which browsers do not offer to pages without TLS. */
export function randomKey(): string {
  return hex(crypto.getRandomValues(new Uint8Array(16)));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
