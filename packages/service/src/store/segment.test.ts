import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { StoreUnavailable } from './port.ts';
import { compressSegment, decodeSegment, encodeSegment } from './segment.ts';

const entriesOf = (texts: readonly string[]) =>
  texts.map((text) => ({ record: Buffer.from(text), leaf: Buffer.from(`leaf of ${text}`) }));
const long = entriesOf(Array.from({ length: 40 }, (_, i) => `${i}: ${'ü'.repeat(1_000)}`));

test('a segment gives back its records and leaves, empty ones too', () => {
  const entries = entriesOf(['', 'a', 'ü'.repeat(5_000)]);
  expect(decodeSegment(encodeSegment(entries))).toEqual(entries);
  expect(decodeSegment(encodeSegment([]))).toEqual([]);
});

test('a long segment is stored in a fraction of its bytes and gives back every one of them', () => {
  const stored = encodeSegment(long);
  expect(stored.length).toBeLessThan(40 * 1_000);
  expect(decodeSegment(stored)).toEqual(long);
});

test('bytes that cannot be made shorter come back all the same', () => {
  const random = [{ record: crypto.getRandomValues(Buffer.alloc(60_000)), leaf: Buffer.from('leaf') }];
  expect(decodeSegment(encodeSegment(random))).toEqual(random);
});

test('a short segment is stored as it is, and so is any that was stored before there was compression', () => {
  const entries = entriesOf(['a record']);
  const stored = encodeSegment(entries);
  expect(stored.includes('a record')).toBe(true);
  expect(compressSegment(stored)).toBe(stored);
});

test('a segment that was cut, lengthened or changed is not read, compressed or not', () => {
  const damaged = (stored: Buffer) => {
    try {
      return decodeSegment(stored);
    } catch (thrown) {
      return thrown instanceof StoreUnavailable ? thrown.why : thrown;
    }
  };
  for (const body of [encodeSegment(entriesOf(['record'])), encodeSegment(long)]) {
    expect(damaged(Buffer.concat([body, Buffer.from('x')]))).toBe('corrupt');
    for (const cut of [0, 2, 5, body.length - 1]) expect(damaged(body.subarray(0, cut))).toBe('corrupt');
  }
});

test('a segment that would fill the memory is not read', () => {
  const bomb = zstdCompressSync(Buffer.alloc(257 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(100_000);
  expect(() => decodeSegment(bomb)).toThrow('damaged');
});
