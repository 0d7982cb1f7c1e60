/** Standard base64 (RFC 4648 section 4), where one value has exactly one spelling. */

export const encodeBase64 = (bytes: Uint8Array): string => {
  let binary = '';
  // Chunked, because a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 4096) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  return btoa(binary);
};

const SHAPE = /^[A-Za-z0-9+/]*={0,2}$/;

/** Null for anything an encoder would not have written: spaces, missing padding, stray bits in the last character. */
export const decodeBase64 = (text: string): Uint8Array | null => {
  if (text.length % 4 !== 0 || !SHAPE.test(text)) return null;
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return null;
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  // Only the last group can be spelt in more than one way.
  const tail = bytes.length % 3;
  if (tail > 0 && encodeBase64(bytes.subarray(bytes.length - tail)) !== text.slice(-4)) return null;
  return bytes;
};
