import { expect, test } from 'vitest';
import { createSecret, hintOf, KEY_PREFIXES, kindOfSecret, SECRET_KINDS } from './key-format.ts';

const VECTORS = [
  { kind: 'development', key: 'wck_dev_0123456789ABCDEFGHIJKLMNOPQRSTUV1QdkTS' },
  { kind: 'owner', key: 'wck_own_zyxwvutsrqponmlkjihgfedcba9876543ebAdp' },
] as const;

test('the published checksum vectors are keys', () => {
  for (const { kind, key } of VECTORS) expect(kindOfSecret(key)).toBe(kind);
});

test('every made secret is well formed and names its kind', () => {
  for (const kind of SECRET_KINDS) {
    for (let round = 0; round < 500; round += 1) {
      const secret = createSecret(kind);
      expect(secret).toHaveLength(KEY_PREFIXES[kind].length + 38);
      expect(kindOfSecret(secret)).toBe(kind);
    }
  }
});

test('no single mistyped character passes the checksum', () => {
  const { key } = VECTORS[0];
  for (let at = 0; at < key.length; at += 1) {
    for (const wrong of '0Aaz9_') {
      if (key[at] === wrong) continue;
      expect(kindOfSecret(key.slice(0, at) + wrong + key.slice(at + 1))).toBeNull();
    }
  }
});

test('two swapped neighbours, a missing and an added character are refused', () => {
  const { key } = VECTORS[1];
  for (let at = 8; at < key.length - 1; at += 1) {
    const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
    if (swapped !== key) expect(kindOfSecret(swapped)).toBeNull();
    expect(kindOfSecret(key.slice(0, at) + key.slice(at + 1))).toBeNull();
    expect(kindOfSecret(`${key.slice(0, at)}x${key.slice(at)}`)).toBeNull();
  }
});

test('every base62 character is about equally likely', () => {
  const counts = new Map<string, number>();
  const rounds = 4_000;
  for (let round = 0; round < rounds; round += 1) {
    for (const character of createSecret('live').slice(9, 41)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  const expected = (rounds * 32) / 62;
  expect(counts.size).toBe(62);
  // Six standard deviations: taking bytes modulo 62 without rejection would push eight characters up by 25 %.
  for (const count of counts.values())
    expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
});

test('a hint shows the prefix and the last four characters only', () => {
  expect(hintOf(VECTORS[0].key, 'development')).toBe('wck_dev_dkTS');
});
