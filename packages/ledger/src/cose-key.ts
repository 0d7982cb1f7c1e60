/**
 * Reads a passkey's public key (COSE_Key, RFC 9052) and verifies its signatures: ES256 and EdDSA, nothing else. It is
 * written by hand because an auditor verifies approvals with this package alone, in Node or a browser, and the form
 * is a map of at most five small integers and byte strings.
 */

export type PasskeyAlgorithm = 'ES256' | 'EdDSA';

export interface PasskeyPublicKey {
  readonly algorithm: PasskeyAlgorithm;
  /** The key as WebCrypto imports it: an uncompressed point, or the 32 bytes of an Ed25519 key. */
  readonly raw: Uint8Array;
}

const KEY_TYPE = 1;
const ALGORITHM = 3;
const CURVE = -1;
const X = -2;
const Y = -3;

/** Null unless the bytes are one ES256 or Ed25519 key, with exactly the members that such a key has. */
export function parseCoseKey(bytes: Uint8Array): PasskeyPublicKey | null {
  const members = readMap(bytes);
  if (members === null) return null;
  const x = members.get(X);
  if (!(x instanceof Uint8Array) || x.length !== 32) return null;
  if (members.get(KEY_TYPE) === 2 && members.get(ALGORITHM) === -7 && members.get(CURVE) === 1) {
    const y = members.get(Y);
    if (!(y instanceof Uint8Array) || y.length !== 32 || members.size !== 5) return null;
    return { algorithm: 'ES256', raw: Uint8Array.of(4, ...x, ...y) };
  }
  if (members.get(KEY_TYPE) === 1 && members.get(ALGORITHM) === -8 && members.get(CURVE) === 6) {
    return members.size === 4 ? { algorithm: 'EdDSA', raw: x.slice() } : null;
  }
  return null;
}

/** The CBOR that such keys use: a map from integers to integers and byte strings, with nothing after it. */
function readMap(bytes: Uint8Array): Map<number, number | Uint8Array> | null {
  const members = new Map<number, number | Uint8Array>();
  const [head = 0] = bytes;
  if (head >> 5 !== 5 || (head & 31) > 23) return null;
  let at = 1;
  for (let left = head & 31; left > 0; left -= 1) {
    const key = readItem(bytes, at);
    if (key === null || typeof key.value !== 'number' || members.has(key.value)) return null;
    const member = readItem(bytes, key.end);
    if (member === null) return null;
    members.set(key.value, member.value);
    at = member.end;
  }
  return at === bytes.length ? members : null;
}

function readItem(
  bytes: Uint8Array,
  at: number,
): { readonly value: number | Uint8Array; readonly end: number } | null {
  const head = bytes[at];
  if (head === undefined) return null;
  const short = head & 31;
  const next = bytes[at + 1];
  // A length or number is in the head itself, or in one byte after it; only the shortest form is valid.
  const isLong = short === 24 && next !== undefined && next >= 24;
  if (short > 23 && !isLong) return null;
  const number = isLong ? next : short;
  const end = at + (isLong ? 2 : 1);
  switch (head >> 5) {
    case 0:
      return { value: number, end };
    case 1:
      return { value: -1 - number, end };
    case 2:
      return end + number <= bytes.length
        ? { value: bytes.slice(end, end + number), end: end + number }
        : null;
    default:
      return null;
  }
}

/** False for a bad signature and for a key that is not a point; it never throws for other people's input. */
export async function verifyPasskeySignature(
  { algorithm, raw }: PasskeyPublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  try {
    if (algorithm === 'EdDSA') {
      const key = await crypto.subtle.importKey('raw', raw.slice(), 'Ed25519', false, ['verify']);
      return await crypto.subtle.verify('Ed25519', key, signature.slice(), message.slice());
    }
    const pair = readDerSignature(signature);
    if (pair === null) return false;
    const curve = { name: 'ECDSA', namedCurve: 'P-256' };
    const key = await crypto.subtle.importKey('raw', raw.slice(), curve, false, ['verify']);
    return await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, pair.slice(), message.slice());
  } catch {
    return false;
  }
}

/** WebAuthn writes ES256 signatures in DER, WebCrypto reads both numbers side by side. Null unless it is exact DER. */
function readDerSignature(der: Uint8Array): Uint8Array | null {
  if (der[0] !== 0x30 || der[1] !== der.length - 2) return null;
  const pair = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1] ?? 0;
    const digits = der.subarray(at + 2, at + 2 + length);
    if (der[at] !== 0x02 || length === 0 || digits.length !== length) return null;
    const [first = 0, second = 0] = digits;
    // Negative, or a leading zero that the sign does not require.
    if (first >= 0x80 || (first === 0 && length > 1 && second < 0x80)) return null;
    const value = first === 0 ? digits.subarray(1) : digits;
    if (value.length > 32) return null;
    pair.set(value, end - value.length);
    at += 2 + length;
  }
  return at === der.length ? pair : null;
}
