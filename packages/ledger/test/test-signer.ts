/** A signer for tests, with Ed25519 of node:crypto, so that another implementation checks its signatures. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import {
  noteBytes,
  signatureLine,
  signedNote,
  type VerifierKey,
  verifierKey,
  verifierKeyLine,
} from '../src/index.ts';

const PKCS8_START = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface TestSigner {
  readonly key: VerifierKey;
  /** The verifier key line. */
  readonly line: string;
  signatureLine(text: string): string;
  note(text: string): string;
}

/** The same seed gives the same key, and Ed25519 the same signatures. */
export function testSigner(name: string, seed: Uint8Array): TestSigner {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_START, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  const key = verifierKey(name, Uint8Array.from(Buffer.from(x!, 'base64url')));
  const lineFor = (text: string) => signatureLine(key, sign(null, noteBytes(text), privateKey));
  return {
    key,
    line: verifierKeyLine(key),
    signatureLine: lineFor,
    note: (text) => signedNote(text, [lineFor(text)]),
  };
}

export const SIGNER = testSigner('writecheck', Buffer.alloc(32, 1));
export const STRANGER = testSigner('writecheck', Buffer.alloc(32, 2));
