import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { digestOf, isDigest, sameBytes } from './sha256.ts';

it('a digest is sha256: and the hash in 64 hex digits', () => {
  for (let at = 0; at < 50; at += 1) {
    const bytes = new Uint8Array([at]);
    expect(digestOf(bytes)).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    expect(isDigest(digestOf(bytes))).toBe(true);
  }
  const hex = 'a'.repeat(64);
  for (const no of ['', hex, `sha256:${hex}a`, `sha256:${hex.slice(1)}`, `xsha256:${hex}`, 1, null]) {
    expect(isDigest(no)).toBe(false);
  }
  expect(isDigest(`sha256:${'A'.repeat(64)}`)).toBe(false);
});

it('bytes are the same only if their number and each of them is', () => {
  const same = (a: readonly number[], b: readonly number[]) =>
    sameBytes(Uint8Array.from(a), Uint8Array.from(b));
  expect(same([], [])).toBe(true);
  expect(same([1, 2], [1, 2])).toBe(true);
  expect(same([1, 2], [1, 2, 3])).toBe(false);
  expect(same([1, 2, 3], [1, 2])).toBe(false);
  expect(same([1, 2], [9, 2])).toBe(false);
  expect(same([1, 2], [1, 9])).toBe(false);
});
