/** The format of a secret: a prefix for its kind, 32 random base62 characters, and a checksum over both. */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyKind } from '@writecheck/store/port';

/** Sessions and invitations are made like keys, so that scanners find a leaked one. */
type SecretKind = KeyKind | 'session' | 'invitation';

export const KEY_PREFIXES: { readonly [kind in SecretKind]: string } = {
  development: 'wck_dev_',
  live: 'wck_live_',
  owner: 'wck_own_',
  service: 'wck_svc_',
  session: 'wck_ses_',
  invitation: 'wck_inv_',
};

export const SECRET_KINDS = Object.keys(KEY_PREFIXES) as readonly SecretKind[];

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const HINT_LENGTH = 4;

/** One of the prefixes, then the random part and the checksum. */
const SHAPE = /^wck_(?:dev|live|own|svc|ses|inv)_[0-9A-Za-z]{38}$/;

export function createSecret(kind: SecretKind): string {
  const body = KEY_PREFIXES[kind] + randomBase62(RANDOM_LENGTH);
  return body + checksumOf(body);
}

/** The kind that a well-formed secret claims, or null: a mistyped key is refused without a lookup. */
export function kindOfSecret(secret: string): SecretKind | null {
  if (!SHAPE.test(secret)) return null;
  const split = secret.length - CHECKSUM_LENGTH;
  if (checksumOf(secret.slice(0, split)) !== secret.slice(split)) return null;
  return SECRET_KINDS.find((kind) => secret.startsWith(KEY_PREFIXES[kind])) ?? null;
}

/** The part that may be shown after issuance: enough to tell two keys apart, too little to use one. */
export function hintOf(secret: string, kind: KeyKind): string {
  return KEY_PREFIXES[kind] + secret.slice(-HINT_LENGTH);
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = '';
  while (rest > 0) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits.padStart(CHECKSUM_LENGTH, '0');
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // Rejection sampling: 248 is the largest multiple of 62 in a byte, so every character is equally likely.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62];
    }
  }
  return text;
}
