import { expect, test } from 'vitest';
import { decodeBase64url } from './base64url.ts';

test('every length is decoded as it was encoded', () => {
  for (let length = 0; length < 70; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length * 11) & 255);
    const text = Buffer.from(bytes).toString('base64url');
    expect([...decodeBase64url(text)!]).toEqual([...bytes]);
  }
});

test.each([
  '=',
  'QQ==',
  'QQ=',
  'A',
  'AAAAA',
  'Q+',
  'Q/',
  'Q Q',
  'QQ\n',
  'Qé',
  'Q\u{1f600}',
  'Q.Q',
  'Q\u0141',
])('%j is refused', (text) => {
  expect(decodeBase64url(text)).toBeNull();
});

test.each([
  ['QQ', 1],
  ['QR', null],
  ['Qf', null],
  ['QUE', 2],
  ['QUF', null],
  ['QUG', null],
  ['__', null],
  ['_w', 1],
  ['-A', 1],
])('%s holds %s bytes: bits that would be dropped must be zero', (text, length) => {
  expect(decodeBase64url(text)?.length ?? null).toBe(length);
});
