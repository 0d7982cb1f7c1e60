/** SHA-256 of this runtime; the ledger's own runs everywhere and is slower: `npm run bench -- micro`, case `sha256`. */
import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}
