/** Base64url without padding, decoded strictly: every value has exactly one spelling. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUE_OF = new Int8Array(128).fill(-1);
for (let value = 0; value < ALPHABET.length; value += 1) VALUE_OF[ALPHABET.charCodeAt(value)] = value;

/** Null for padding, other characters, an impossible length, or bits that would be dropped. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  const over = text.length % 4;
  if (over === 1) return null;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let length = 0;
  for (let at = 0; at < text.length; at += 4) {
    const bits =
      (valueAt(text, at) << 18) |
      (valueAt(text, at + 1) << 12) |
      (valueAt(text, at + 2) << 6) |
      valueAt(text, at + 3);
    if (bits < 0) return null;
    bytes[length] = bits >> 16;
    bytes[length + 1] = bits >> 8;
    bytes[length + 2] = bits;
    length += 3;
  }
  if (over === 0) return bytes;
  // Bits that do not fill a byte must be zero.
  const last = valueAt(text, text.length - 1);
  return (last & (over === 2 ? 0b1111 : 0b11)) === 0 ? bytes : null;
}

/** Below 0 for a character outside the alphabet; 0 past the end. */
function valueAt(text: string, at: number): number {
  if (at >= text.length) return 0;
  return VALUE_OF[text.charCodeAt(at)] ?? -1;
}
