/** Imports the public keys of a snapshot into WebCrypto, each once. */
import type { PublicJwk } from '../policy/documents.ts';

export type AttestationAlgorithm = 'EdDSA' | 'ES256';

interface Verification {
  readonly import: { readonly name: string; readonly namedCurve?: string };
  readonly verify: { readonly name: string; readonly hash?: string };
}

const VERIFICATIONS: { readonly [alg in AttestationAlgorithm]: Verification } = {
  EdDSA: { import: { name: 'Ed25519' }, verify: { name: 'Ed25519' } },
  ES256: { import: { name: 'ECDSA', namedCurve: 'P-256' }, verify: { name: 'ECDSA', hash: 'SHA-256' } },
};

/** The one algorithm that a key may be used with: the key determines it, never the attestation. */
export function algorithmOf(jwk: PublicJwk): AttestationAlgorithm {
  return jwk.kty === 'OKP' ? 'EdDSA' : 'ES256';
}

/** Keyed by the frozen JWK itself, so that the keys are collected with the snapshot. */
const importedKeys = new WeakMap<PublicJwk, Promise<CryptoKey | null>>();

/** False for anything that is not a valid signature, including a key that is not a point on its curve. */
export async function verifySignature(
  jwk: PublicJwk,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const key = await keyFor(jwk);
  if (key === null) return false;
  try {
    return await crypto.subtle.verify(VERIFICATIONS[algorithmOf(jwk)].verify, key, signature, signed);
  } catch {
    return false;
  }
}

function keyFor(jwk: PublicJwk): Promise<CryptoKey | null> {
  let key = importedKeys.get(jwk);
  if (key === undefined) {
    key = importKey(jwk);
    importedKeys.set(jwk, key);
  }
  return key;
}

async function importKey({ kty, crv, x, y }: PublicJwk): Promise<CryptoKey | null> {
  const jwk = y === undefined ? { kty, crv, x } : { kty, crv, x, y };
  try {
    const { import: algorithm } = VERIFICATIONS[kty === 'OKP' ? 'EdDSA' : 'ES256'];
    return await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify']);
  } catch {
    return null;
  }
}
