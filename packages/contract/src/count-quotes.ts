/** Counts the double quotes in a body, which shows whether a name may appear twice. */

const QUOTE = 0x22;
const QUOTES = 0x22222222;
const LOW_BITS = 0x7f7f7f7f;
/** Each word holds four 8-bit counts, which are emptied before they can overflow. */
const WORDS_AT_ONCE = 255;
let words = new Uint32Array(4_096);
let wordBytes = new Uint8Array(words.buffer);

/** Counts four bytes at a time, because it runs for every body. */
export function countQuotes(bytes: Uint8Array): number {
  if (bytes.length > wordBytes.length) {
    words = new Uint32Array(bytes.length);
    wordBytes = new Uint8Array(words.buffer);
  }
  // INVARIANT: no await between here and the last read, so one buffer serves every call.
  wordBytes.set(bytes);
  const whole = bytes.length >>> 2;
  let quotes = 0;
  for (let from = 0; from < whole; from += WORDS_AT_ONCE) {
    const to = Math.min(from + WORDS_AT_ONCE, whole);
    let counts = 0;
    for (let at = from; at < to; at += 1) {
      const differing = words[at]! ^ QUOTES;
      // Sets the highest bit of each byte that is a quote, and no other bit.
      const equal = ~(((differing & LOW_BITS) + LOW_BITS) | differing | LOW_BITS);
      counts = (counts + (equal >>> 7)) | 0;
    }
    quotes += (counts & 0xff) + ((counts >>> 8) & 0xff) + ((counts >>> 16) & 0xff) + (counts >>> 24);
  }
  for (let at = whole << 2; at < bytes.length; at += 1) quotes += Number(bytes[at] === QUOTE);
  return quotes;
}
