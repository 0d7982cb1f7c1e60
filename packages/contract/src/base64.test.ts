import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { decodeBase64, encodeBase64 } from './base64.ts';

type Native = { toBase64?: unknown; fromBase64?: unknown };
const native = {
  toBase64: (Uint8Array.prototype as Native).toBase64,
  fromBase64: (Uint8Array as Native).fromBase64,
};

describe.each(['the runtime’s own', 'our own'])('base64 by %s means', (means) => {
  beforeEach(() => {
    if (means === 'the runtime’s own') return;
    (Uint8Array.prototype as Native).toBase64 = undefined;
    (Uint8Array as Native).fromBase64 = undefined;
  });
  afterEach(() => {
    (Uint8Array.prototype as Native).toBase64 = native.toBase64;
    (Uint8Array as Native).fromBase64 = native.fromBase64;
  });

  it('is what Node writes, and decodes to the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(decodeBase64(text)).toEqual(bytes);
      }),
    );
  });

  it('accepts more bytes than a call accepts arguments', () => {
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
    const wrong = ['A', 'AA', 'AAA', 'AB==', 'AAB=', 'AAA=AAAA', '====', 'AAA\n', ' AAA', 'AA-_', 'A==='];
    for (const text of [...wrong, 'AAAA    ', 'AA==AA==', 'é===']) {
      expect(decodeBase64(text), text).toBeNull();
    }
  });
});
