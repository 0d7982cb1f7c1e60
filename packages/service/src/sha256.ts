/** SHA-256 of this runtime, several times faster than the ledger's own, which runs everywhere. */
import { hash } from 'node:crypto';

export const HASH_BYTES = 32;

export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}
