import { expect, test } from 'vitest';
import { countQuotes } from './count-quotes.ts';

const naive = (bytes: Uint8Array) => bytes.filter((byte) => byte === 0x22).length;

test('a body of any length is counted to its end', () => {
  // Lengths around a word, around the words counted at once, and around the shared copy.
  for (const length of [
    0, 1, 2, 3, 4, 5, 7, 8, 1016, 1019, 1020, 1021, 1024, 2039, 2040, 2041, 16_383, 16_384, 16_385, 40_001,
  ]) {
    expect(countQuotes(new Uint8Array(length).fill(0x22))).toBe(length);
    expect(countQuotes(new Uint8Array(length).fill(0x23))).toBe(0);
    // The rest of an earlier, longer body is not counted.
    expect(countQuotes(new Uint8Array(length))).toBe(0);
  }
});

test('no other byte counts as a quote, wherever it is in a word', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    for (let at = 0; at < 8; at += 1) {
      const bytes = new Uint8Array(8);
      bytes[at] = byte;
      expect(countQuotes(bytes)).toBe(naive(bytes));
      // Quotes around the byte would show an arithmetic carry.
      const among = new Uint8Array(8).fill(0x22);
      among[at] = byte;
      expect(countQuotes(among)).toBe(naive(among));
    }
  }
});

test('the count is the same as one byte at a time', () => {
  let state = 1;
  for (let length = 0; length < 3_000; length += 37) {
    const bytes = Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state % 5 === 0 ? 0x22 : state >>> 24;
    });
    expect(countQuotes(bytes)).toBe(naive(bytes));
  }
});
