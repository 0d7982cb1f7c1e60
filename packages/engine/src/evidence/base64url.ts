/** Base64url without padding, decoded strictly: every value has exactly one spelling. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUE_OF = new Int8Array(128).fill(-1);
for (let value = 0; value < ALPHABET.length; value += 1) VALUE_OF[ALPHABET.charCodeAt(value)] = value;

/** Null for padding, other characters, an impossible length, or bits that would be dropped. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let bits = 0;
  let bitCount = 0;
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const value = VALUE_OF[text.charCodeAt(index)] ?? -1;
    if (value < 0) return null;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount >= 8) {
      bitCount -= 8;
      bytes[length] = bits >> bitCount;
      length += 1;
    }
  }
  return (bits & ((1 << bitCount) - 1)) === 0 ? bytes : null;
}
