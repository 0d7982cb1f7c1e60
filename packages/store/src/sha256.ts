/** SHA-256 of this runtime; the ledger's own runs everywhere and is slower: `npm run bench -- micro`, case `sha256`. */
import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

/** Read as text and copied by hand, which takes half the time of a `Buffer` with its own memory outside the heap. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const text = hash('sha256', bytes, 'latin1');
  const digest = new Uint8Array(HASH_BYTES);
  for (let i = 0; i < HASH_BYTES; i += 1) digest[i] = text.charCodeAt(i);
  return digest;
}

export function areSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** As in leaves and records. Of a text that may contain anything, including names, the log stores only this. */
export function textDigest(text: string | Uint8Array): string {
  return `sha256:${hash('sha256', text)}`;
}
