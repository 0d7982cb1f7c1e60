/** Challenges for passkeys: each works once, for five minutes. */
import { randomBytes } from 'node:crypto';
import { decodeBase64Url } from '@writecheck/ledger/log';

export const CHALLENGE_MS = 5 * 60_000;
const RANDOM_BYTES = 32;

/**
 * INVARIANT: a challenge for signing in is longer than a hash and ends in this word, so no signature made to sign in
 * is ever one over the hash of a verdict's statement.
 */
const SIGN_IN = Buffer.from('signin');

export function newSignInChallenge(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat([randomBytes(RANDOM_BYTES), SIGN_IN]));
}

export function isSignInChallenge(challenge: string): boolean {
  const bytes = decodeBase64Url(challenge);
  return bytes?.length === RANDOM_BYTES + SIGN_IN.length && SIGN_IN.equals(bytes.subarray(RANDOM_BYTES));
}

export function newRegistrationChallenge(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(randomBytes(RANDOM_BYTES));
}
