/** Counts the double quotes of a body, which shows whether a name may occur twice. */

const QUOTE = 0x22;
const QUOTES = 0x22222222;
const LOW_BITS = 0x7f7f7f7f;
/** A word holds four counts of 8 bits each. They are added up before one can overflow. */
const WORDS_AT_ONCE = 255;
let words = new Uint32Array(4_096);
let wordBytes = new Uint8Array(words.buffer);

/** Four bytes at a time, for speed: `npm run bench -- micro`, case `count-quotes`. */
export function countQuotes(bytes: Uint8Array): number {
  if (bytes.length > wordBytes.length) {
    words = new Uint32Array(bytes.length);
    wordBytes = new Uint8Array(words.buffer);
  }
  // INVARIANT: this function never waits, so all calls can share one copy.
  wordBytes.set(bytes);
  const whole = bytes.length >>> 2;
  let quotes = 0;
  for (let from = 0; from < whole; from += WORDS_AT_ONCE) {
    const to = Math.min(from + WORDS_AT_ONCE, whole);
    let counts = 0;
    for (let at = from; at < to; at += 1) {
      const differing = words[at]! ^ QUOTES;
      // The highest bit of each byte that is a quote, and no other bit.
      const equal = ~(((differing & LOW_BITS) + LOW_BITS) | differing | LOW_BITS);
      counts = (counts + (equal >>> 7)) | 0;
    }
    quotes += (counts & 0xff) + ((counts >>> 8) & 0xff) + ((counts >>> 16) & 0xff) + (counts >>> 24);
  }
  for (let at = whole << 2; at < bytes.length; at += 1) quotes += Number(bytes[at] === QUOTE);
  return quotes;
}
