/** Captures an intent at the moment of the call, so that the sent and the digested intent are the same. */
import { DIGEST_MEMBERS, type DigestInput } from '@writecheck/contract';

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
 * The RFC 8785 form of what the digest covers, of an intent that JSON.parse has made. The contract's `canonicalIntent`
 * accepts any value, but would be a tenth of the code that a page loads; a test compares the two. Throws for half a
 * surrogate pair, which is not Unicode text.
 */
function canonicalIntent(sent: Readonly<Record<string, unknown>>): string {
  const covered = DIGEST_MEMBERS.filter((name) => Object.hasOwn(sent, name) && sent[name] !== null);
  return canonical(Object.fromEntries(covered.map((name) => [name, sent[name]])));
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical)}]`;
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('not Unicode text');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  // RFC 8785 sorts names by UTF-16 code units, as a plain sort does.
  const names = Object.keys(value).sort();
  const members = value as Readonly<Record<string, unknown>>;
  return `{${names.map((name) => `${canonical(name)}:${canonical(members[name])}`)}}`;
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
