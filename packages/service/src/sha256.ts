/** SHA-256 of this runtime; the ledger's own runs everywhere and is slower: `npm run bench -- micro`, case `sha256`. */
import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

export function sha256(bytes: Uint8Array): Uint8Array {
  // Half the time of asking for a buffer, which would get memory of its own.
  return Buffer.from(hash('sha256', bytes, 'latin1'), 'latin1');
}
