/** A note verifier key: a name and an Ed25519 public key, written on one line as `name+id+base64`. */
import { decodeBase64, encodeBase64 } from '@writecheck/contract';
import { sha256 } from './sha256.ts';

const ED25519_TYPE = 0x01;
const PUBLIC_KEY_BYTES = 32;

export interface VerifierKey {
  readonly name: string;
  /** Eight hex digits; together with the name it says which key a signature claims. */
  readonly id: string;
  /** 32 bytes, as in RFC 8032. */
  readonly publicKey: Uint8Array;
}

// U+0085 is a space in Unicode, but not in the regular expression's own class.
const NOT_IN_A_NAME = /[\s\u0085+]/u;

export function isKeyName(name: string): boolean {
  return name !== '' && name.isWellFormed() && !NOT_IN_A_NAME.test(name) && !hasControls(name);
}

function hasControls(text: string): boolean {
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) < 0x20) return true;
  return false;
}

function typedKey(publicKey: Uint8Array): Uint8Array {
  return new Uint8Array([ED25519_TYPE, ...publicKey]);
}

/** The first four bytes of the hash of name, newline, type and key, in hex. */
function idOf(name: string, publicKey: Uint8Array): string {
  const input = new Uint8Array([...new TextEncoder().encode(`${name}\n`), ...typedKey(publicKey)]);
  let id = '';
  for (const byte of sha256(input).subarray(0, 4)) id += byte.toString(16).padStart(2, '0');
  return id;
}

/** Throws for an impossible name or key: these come from our own configuration. */
export function verifierKey(name: string, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw new TypeError(`\`${name}\` cannot be the name of a key`);
  if (publicKey.length !== PUBLIC_KEY_BYTES) throw new TypeError('an Ed25519 public key has 32 bytes');
  return { name, id: idOf(name, publicKey), publicKey };
}

export function verifierKeyLine(key: VerifierKey): string {
  return `${key.name}+${key.id}+${encodeBase64(typedKey(key.publicKey))}`;
}

/** Null unless the line is complete, of Ed25519, and its id matches its name and key. */
export function parseVerifierKey(line: string): VerifierKey | null {
  const [, name, id, encoded] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  if (name === undefined || id === undefined || encoded === undefined || !isKeyName(name)) return null;
  const typed = decodeBase64(encoded);
  if (typed === null || typed.length !== 1 + PUBLIC_KEY_BYTES || typed[0] !== ED25519_TYPE) return null;
  const publicKey = typed.slice(1);
  return idOf(name, publicKey) === id ? { name, id, publicKey } : null;
}

/**
 * The keys of a list of lines, or of a text as `GET /v1/audit/key` serves it; null if one is not a key or there is
 * none.
 */
export function parseVerifierKeys(lines: readonly string[] | string): readonly VerifierKey[] | null {
  const list = typeof lines === 'string' ? lines.split('\n').filter((line) => line !== '') : lines;
  if (!Array.isArray(list)) return null;
  const keys: VerifierKey[] = [];
  for (const line of list as readonly unknown[]) {
    const key = typeof line === 'string' ? parseVerifierKey(line) : null;
    if (key === null) return null;
    keys.push(key);
  }
  return keys.length > 0 ? keys : null;
}
