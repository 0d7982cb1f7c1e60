/** SHA-256 as the ledger uses it: one synchronous function, replaceable by the runtime's faster one. */
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';

/** If speed matters, the caller passes its runtime's own, such as `(b) => hash('sha256', b, 'buffer')` of Node. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

export const sha256: Sha256 = nobleSha256;

export const HASH_BYTES = 32;

/** The form of digests in leaves and records: `sha256:` and 64 hex digits. */
export function digestOf(bytes: Uint8Array, hash: Sha256 = sha256): string {
  let hex = 'sha256:';
  for (const byte of hash(bytes)) hex += byte.toString(16).padStart(2, '0');
  return hex;
}

export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && /^sha256:[0-9a-f]{64}$/.test(text);
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
