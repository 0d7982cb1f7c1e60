/** Signs attestations for tests, good ones and every kind of bad one. */
import { ED25519_JWK, ED25519_SECRET, P256_JWK, P256_SECRET } from './keys.ts';

export type Signer = 'ed' | 'ec';

const utf8 = new TextEncoder();

export function base64url(data: string | Uint8Array): string {
  const bytes = typeof data === 'string' ? utf8.encode(data) : data;
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

export function headerOf(signer: Signer): Record<string, unknown> {
  const [alg, kid] = signer === 'ed' ? ['EdDSA', ED25519_JWK.kid] : ['ES256', P256_JWK.kid];
  return { alg, kid, typ: 'writecheck-evidence+jws' };
}

/** A header or claims given as text are taken as they are. */
export async function sign(
  claims: object | string,
  header: object | string = headerOf('ed'),
  signer: Signer = 'ed',
): Promise<string> {
  const text = (part: object | string) => (typeof part === 'string' ? part : JSON.stringify(part));
  const signed = `${base64url(text(header))}.${base64url(text(claims))}`;
  return `${signed}.${base64url(await signBytes(utf8.encode(signed), signer))}`;
}

export async function signBytes(bytes: Uint8Array<ArrayBuffer>, signer: Signer): Promise<Uint8Array> {
  const { kty, crv, x, y = '' } = signer === 'ed' ? ED25519_JWK : P256_JWK;
  const d = signer === 'ed' ? ED25519_SECRET : P256_SECRET;
  const jwk = signer === 'ed' ? { kty, crv, x, d } : { kty, crv, x, y, d };
  const key = await crypto.subtle.importKey(
    'jwk',
    jwk,
    signer === 'ed' ? 'Ed25519' : { name: 'ECDSA', namedCurve: 'P-256' },
    false,
    ['sign'],
  );
  const algorithm = signer === 'ed' ? 'Ed25519' : { name: 'ECDSA', hash: 'SHA-256' };
  return new Uint8Array(await crypto.subtle.sign(algorithm, key, bytes));
}
