/** `writecheck evidence key`: a key pair for a source of evidence. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { CommandFailure } from '@writecheck/contract/command';
import { stringify } from 'yaml';

export interface KeyPair {
  readonly publicJwk: {
    readonly kty: 'OKP';
    readonly crv: 'Ed25519';
    readonly kid: string;
    readonly x: string;
  };
  readonly privateJwk: JsonWebKey;
}

export async function newKeyPair(kid: string): Promise<KeyPair> {
  const { privateKey } = (await crypto.subtle.generateKey('Ed25519', true, [
    'sign',
    'verify',
  ])) as CryptoKeyPair;
  const { d, x } = await crypto.subtle.exportKey('jwk', privateKey);
  const publicJwk = { kty: 'OKP', crv: 'Ed25519', kid, x: x! } as const;
  return { publicJwk, privateJwk: { ...publicJwk, d: d! } as JsonWebKey };
}

export function newKid(): string {
  return `${new Date().toISOString().slice(0, 10)}-${randomBytes(4).toString('hex')}`;
}

export async function evidenceKey(options: {
  readonly source: string;
  readonly out: string;
  readonly kid?: string;
}): Promise<void> {
  const { publicJwk, privateJwk } = await newKeyPair(options.kid ?? newKid());
  try {
    await writeFile(options.out, `${JSON.stringify(privateJwk, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      code === 'EEXIST'
        ? `\`${options.out}\` already exists, and a key is not overwritten; choose another file with --out`
        : `\`${options.out}\` cannot be written (${code}); choose another file with --out`,
    );
  }
  const document = { kind: 'EvidenceSource', id: options.source, keys: { keys: [publicJwk] } };
  process.stdout.write(stringify(document, { lineWidth: 0 }));
}
