/** Base64url without padding (RFC 4648 section 5), as WebAuthn writes bytes; one value has exactly one spelling. */
import { decodeBase64, encodeBase64 } from './base64.ts';

export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Null for anything an encoder would not have written. */
export function decodeBase64Url(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null;
  const padding = '='.repeat((4 - (text.length % 4)) % 4);
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding);
}
