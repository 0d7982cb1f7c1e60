/** Reads the private key that signs, as a JWK. */
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PrivateJwk } from '@writecheck/client/evidence';
import { given, shown } from '@writecheck/contract';
import type { Faults } from './faults.ts';

export interface SigningKey {
  readonly jwk: PrivateJwk;
  readonly kid: string;
}

const HOW = 'create one with `writecheck evidence key`';

/** No message repeats any part of the key. */
export function readKey(value: unknown, at: string, folder: string, faults: Faults): SigningKey | undefined {
  const given = faults.object(value, at, ['file', 'env']);
  if (given === undefined) return undefined;
  if ((given.file === undefined) === (given.env === undefined))
    return faults.add(at, 'must have either `file` or `env`');
  const text =
    given.file === undefined ? fromEnv(given.env, at, faults) : fromFile(given.file, at, folder, faults);
  return text === undefined ? undefined : keyOf(text, at, faults);
}

function fromEnv(name: unknown, at: string, faults: Faults): string | undefined {
  const variable = faults.text(name, `${at}/env`, 'the name of a variable');
  return variable === undefined ? undefined : faults.variable(variable, `${at}/env`, true);
}

function fromFile(file: unknown, at: string, folder: string, faults: Faults): string | undefined {
  const path = faults.text(file, `${at}/file`, 'the path of a private JWK');
  if (path === undefined) return undefined;
  try {
    return readFileSync(resolve(folder, path), 'utf8');
  } catch {
    return faults.add(`${at}/file`, `\`${shown(path)}\` cannot be read; ${HOW}`);
  }
}

function keyOf(text: string, at: string, faults: Faults): SigningKey | undefined {
  let jwk: (PrivateJwk & { readonly kid?: unknown }) | undefined;
  try {
    jwk = JSON.parse(text);
  } catch {
    // Nothing of the text is repeated: it may still be a key.
  }
  if (typeof jwk !== 'object' || jwk === null || typeof jwk.kty !== 'string')
    return faults.add(at, `is not a JWK; ${HOW}`);
  if (typeof jwk.d !== 'string')
    return faults.add(at, `is the public half of a key; give the private one, or ${HOW}`);
  if (typeof jwk.kid !== 'string' || jwk.kid === '')
    return faults.add(at, 'has no `kid`; add the one that the EvidenceSource lists');
  const { kty, crv, x, y, d, kid } = jwk;
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey({
      key: jwk as JsonWebKey,
      format: 'jwk',
    });
    const isP256 = asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
    if (asymmetricKeyType === 'ed25519' || isP256) {
      return { jwk: { kty, crv, x, d, ...given({ y }) }, kid };
    }
  } catch {
    // Its members do not form a key.
  }
  return faults.add(at, `is not a private key of Ed25519 or P-256; ${HOW}`);
}
