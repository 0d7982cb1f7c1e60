import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, encodeBase64 } from './base64.ts';

describe('base64', () => {
  it('is what Node writes, and comes back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(decodeBase64(text)).toEqual(bytes);
      }),
    );
  });

  it('takes more bytes than a call takes arguments', () => {
    const bytes = new Uint8Array(300_001).fill(65);
    expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
  });

  it('has one spelling for one value', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 9, unit: fc.constantFrom(...'ABQg/+=_- \n') }), (text) => {
        const bytes = decodeBase64(text);
        if (bytes !== null) expect(encodeBase64(bytes)).toBe(text);
      }),
      { numRuns: 5_000 },
    );
    for (const text of [
      'A',
      'AA',
      'AAA',
      'AB==',
      'AAB=',
      'AAA=AAAA',
      '====',
      'AAA\n',
      ' AAA',
      'AA-_',
      'A===',
    ]) {
      expect(decodeBase64(text), text).toBeNull();
    }
  });
});
