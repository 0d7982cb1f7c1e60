import { expect, test } from 'vitest';
import { countQuotes } from './count-quotes.ts';

const naive = (bytes: Uint8Array) => bytes.filter((byte) => byte === 0x22).length;

test('bodies of every length are counted completely, with only quotes and with none', () => {
  // Lengths around one word, around one block of words, and around the buffer's size.
  for (const length of [
    0, 1, 2, 3, 4, 5, 7, 8, 1016, 1019, 1020, 1021, 1024, 2039, 2040, 2041, 16_383, 16_384, 16_385, 40_001,
  ]) {
    expect(countQuotes(new Uint8Array(length).fill(0x22))).toBe(length);
    expect(countQuotes(new Uint8Array(length).fill(0x23))).toBe(0);
    // Remains of a longer body in the buffer are not counted.
    expect(countQuotes(new Uint8Array(length))).toBe(0);
  }
});

test('only quotes count, at every position in a word', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    for (let at = 0; at < 8; at += 1) {
      const bytes = new Uint8Array(8);
      bytes[at] = byte;
      expect(countQuotes(bytes)).toBe(naive(bytes));
      // Next to quotes too, where a carry would show.
      const among = new Uint8Array(8).fill(0x22);
      among[at] = byte;
      expect(countQuotes(among)).toBe(naive(among));
    }
  }
});

test('the count equals a naive count', () => {
  let state = 1;
  for (let length = 0; length < 3_000; length += 37) {
    const bytes = Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state % 5 === 0 ? 0x22 : state >>> 24;
    });
    expect(countQuotes(bytes)).toBe(naive(bytes));
  }
});
