import { describe, expect, it } from 'vitest';
import { decodeBase64Url, encodeBase64Url } from './base64url.ts';

describe('base64url', () => {
  it('decodes to the bytes it encoded', () => {
    for (let length = 0; length < 40; length += 1) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 83 + length * 7) % 256);
      expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
      expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(bytes);
    }
  });

  it.each([
    ...[
      'a',
      'AB',
      'AA==',
      'AA=',
      'A+A',
      '+/8',
      ' AAA',
      'AAA\n',
      'AAAAA',
      '=',
      'QQ==',
      'QQ=',
      'A',
      'Q+',
      'Q/',
    ],
    ...['Q Q', 'QQ\n', 'Qé', 'Q\u{1f600}', 'Q.Q', 'Q\u0141'],
  ])('refuses %j', (text) => {
    expect(decodeBase64Url(text)).toBeNull();
  });

  it.each([
    ['QQ', 1],
    ['QR', null],
    ['Qf', null],
    ['QUE', 2],
    ['QUF', null],
    ['QUG', null],
    ['__', null],
    ['_w', 1],
    ['-A', 1],
  ])('finds that %s holds %s bytes: bits that would be dropped must be zero', (text, length) => {
    expect(decodeBase64Url(text)?.length ?? null).toBe(length);
  });
});
