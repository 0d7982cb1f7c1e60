/** The key that signs the log: created at the first start, or given by the operator. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noteBytes, signatureLine, signedNote, verifierKey, verifierKeyLine } from '@writecheck/ledger/log';
import type { Config } from '../../support/config/settings.ts';
import { LogRefused } from './log-refused.ts';

const KEY_NAME = 'writecheck';
const DERIVED_BYTES = 32;
const KEY_FILE = 'signing-key.pem';
const MAKE_ONE = 'create one with `openssl genpkey -algorithm ed25519 -out key.pem`';

export interface LogSigner {
  /** The public key's line, as published. */
  readonly line: string;
  /** The text with its signature. */
  note(text: string): string;
  /** 32 bytes that only this key gives for this purpose; they reveal nothing about the key or other purposes. */
  derive(purpose: string): Uint8Array;
}

export function hasSigningKey(data: string): boolean {
  return existsSync(join(data, KEY_FILE));
}

/**
 * Throws `LogRefused` for a key that cannot be used, or that is missing although something was signed with it. `setting`
 * is what named the file, for the message.
 */
export function loadSigner(
  { data, signingKey }: Pick<Config, 'data' | 'signingKey'>,
  isFirst: boolean,
  setting = 'WRITECHECK_SIGNING_KEY: ',
): LogSigner {
  if (signingKey !== null) {
    const named = `${setting}\`${signingKey}\``;
    return signerOf(read(signingKey, named), named);
  }
  const file = join(data, KEY_FILE);
  return signerOf(readOrMake(file, isFirst), `the signing key \`${file}\``);
}

function read(file: string, named: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new LogRefused(`${named} cannot be read (${code}); name a PEM file`);
  }
}

/** The data folder exists: opening the store created it. */
function readOrMake(file: string, mayMake: boolean): string {
  try {
    const pem = readFileSync(file, 'utf8');
    // A key that was copied back from a backup may be readable by everybody.
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
    return pem;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw new LogRefused(`the signing key \`${file}\` cannot be read; check its permissions`);
    }
  }
  if (!mayMake) {
    throw new LogRefused(
      `the signing key \`${file}\` is gone, and the log was signed with it; put it back from a backup, or rotate to a new one: \`openssl genpkey -algorithm ed25519 -out ${file}\`, and give its verifier key to those who verify the log`,
    );
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flush: true });
    // If several processes start together, one makes the key: a link never replaces a file and never exposes half of
    // one.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new LogRefused(`the signing key \`${file}\` cannot be written; check the data folder`);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, 'utf8');
}

function signerOf(pem: string, what: string): LogSigner {
  const privateKey = ed25519Of(pem, what);
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url');
  const key = verifierKey(KEY_NAME, Uint8Array.from(Buffer.from(x!, 'base64url')));
  return {
    line: verifierKeyLine(key),
    note: (text) => signedNote(text, [signatureLine(key, sign(null, noteBytes(text), privateKey))]),
    derive: (purpose) => new Uint8Array(hkdfSync('sha256', seed, '', purpose, DERIVED_BYTES)),
  };
}

function ed25519Of(pem: string, what: string): KeyObject {
  let privateKey: KeyObject | null = null;
  try {
    if (pem.includes('-----BEGIN PRIVATE KEY-----')) privateKey = createPrivateKey(pem);
  } catch {
    // Reported below, because the PEM reader's own message does not help.
  }
  if (privateKey === null) {
    throw new LogRefused(`${what} contains no private key in PKCS#8 PEM without a passphrase; ${MAKE_ONE}`);
  }
  if (privateKey.asymmetricKeyType !== 'ed25519') {
    throw new LogRefused(
      `${what} holds a key of type \`${privateKey.asymmetricKeyType}\`, but the log is signed with Ed25519; ${MAKE_ONE}`,
    );
  }
  return privateKey;
}
