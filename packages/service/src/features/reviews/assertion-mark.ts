/**
 * Recognizes an assertion that was sent before. A statement names no moment, so the assertion of a withdrawn verdict
 * would verify again; a thief of a session who finds it in an export must not bring the verdict back.
 */
import { createHash } from 'node:crypto';
import type { Assertion } from '@writecheck/ledger';

const ED25519_BYTES = 64;
const ED25519_R_BYTES = 32;

/**
 * The digest of what was signed and of the signature's first half. The second half is left out: an ECDSA signature is
 * still valid with its second number negated, so it alone does not make an assertion a new one.
 */
export function markOf({ authenticatorData, clientDataJSON, signature }: Assertion): string {
  const bytes = Buffer.from(signature, 'base64url');
  // DER: a sequence (2 bytes), then each number with its type and length.
  const first =
    bytes.length === ED25519_BYTES
      ? bytes.subarray(0, ED25519_R_BYTES)
      : bytes.subarray(4, 4 + (bytes[3] ?? 0));
  return createHash('sha256')
    .update(Buffer.from(authenticatorData, 'base64url'))
    .update(Buffer.from(clientDataJSON, 'base64url'))
    .update(first)
    .digest('base64url');
}
