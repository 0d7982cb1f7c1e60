import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { leafHash } from './merkle-hash.ts';

function expected(leaf: Uint8Array | string) {
  return new Uint8Array(createHash('sha256').update(Buffer.of(0)).update(leaf).digest());
}

describe('the hash of a leaf', () => {
  // Around the size of the buffer, and beyond: in one, two and three bytes a character, and in pairs.
  it.each([0, 1, 100, 1364, 1365, 1366, 4094, 4095, 4096, 4097, 9000, 30_000])(
    'of %d characters',
    (length) => {
      for (const character of ['a', 'é', '金', '𝔘']) {
        const text = character.repeat(length);
        expect(leafHash(new TextEncoder().encode(text))).toEqual(expected(text));
      }
    },
  );

  it('does not depend on the leaf before it', () => {
    leafHash(new Uint8Array(500).fill(98));
    expect(leafHash(Uint8Array.of(97))).toEqual(expected('a'));
  });

  it('uses the given function', () => {
    const seen: number[][] = [];
    const hash = (bytes: Uint8Array) => {
      seen.push([...bytes]);
      return new Uint8Array(32);
    };
    leafHash(Uint8Array.of(1, 2), hash);
    expect(seen).toEqual([[0, 1, 2]]);
  });
});
