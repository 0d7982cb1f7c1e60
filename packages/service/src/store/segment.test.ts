import { expect, test } from 'vitest';
import { decodeSegment, encodeSegment } from './segment.ts';

test('a segment gives back its records and leaves, empty ones too', () => {
  const entries = ['', 'a', 'ü'.repeat(5_000)].map((text) => ({
    record: Buffer.from(text),
    leaf: Buffer.from(`leaf of ${text}`),
  }));
  expect(decodeSegment(encodeSegment(entries))).toEqual(entries);
  expect(decodeSegment(encodeSegment([]))).toEqual([]);
});

test('a segment that was cut or lengthened is not read', () => {
  const body = encodeSegment([{ record: Buffer.from('record'), leaf: Buffer.from('leaf') }]);
  expect(() => decodeSegment(Buffer.concat([body, Buffer.from('x')]))).toThrow(RangeError);
  expect(() => decodeSegment(body.subarray(0, 2))).toThrow(RangeError);
});
