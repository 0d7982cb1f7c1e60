/** Standard base64 (RFC 4648 section 4), where one value has exactly one spelling. */

export const encodeBase64 = (bytes: Uint8Array): string => {
  let binary = '';
  // Chunked, because a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 4096) {
    binary += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  return btoa(binary);
};

/** Null for anything an encoder would not have written: spaces, missing padding, stray bits in the last character. */
export const decodeBase64 = (text: string): Uint8Array | null => {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return null;
  }
  // `atob` passes over spaces and missing padding; either makes the text longer or shorter than it must be.
  if (text.length !== 4 * Math.ceil(binary.length / 3)) return null;
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  // Only the last group can be spelt in more than one way.
  const tail = bytes.length % 3;
  if (tail > 0 && encodeBase64(bytes.subarray(bytes.length - tail)) !== text.slice(-4)) return null;
  return bytes;
};
