import { expect, test } from 'vitest';
import { oddCharacters, revealedJson, skeletonOf } from './odd-characters.ts';

function codes(text: string, isWary = false) {
  return oddCharacters(text, isWary)
    .filter((odd) => odd !== null)
    .map(({ kind, code }) => `${kind} ${code}`);
}

test('invisible characters are found, whatever surrounds them', () => {
  expect(codes('DE89\u200B3704')).toEqual(['invisible U+200B']);
  expect(codes('a\u00A0b')).toEqual(['space U+00A0']);
  expect(codes('a\u202Eb\uFEFF')).toEqual(['invisible U+202E', 'invisible U+FEFF']);
  expect(codes('a\nb')).toEqual(['control U+000A']);
  expect(codes('e\u0301')).toEqual(['combining U+0301']);
});

test('a letter of another script is odd among Latin letters, but not in a word of its own script', () => {
  expect(codes('p\u0430ypal')).toEqual(['look-alike U+0430']);
  expect(codes('\u043c\u043e\u0441\u043a\u0432\u0430')).toEqual([]);
  expect(codes('\u0441\u043e', true)).toEqual(['look-alike U+0441', 'look-alike U+043E']);
  expect(codes('\uFF21BC')).toEqual(['look-alike U+FF21']);
  expect(codes('Zürich, Łódź')).toEqual([]);
});

test('two texts that look alike have the same skeleton', () => {
  expect(skeletonOf('p\u0430y\u200Bpal')).toBe('paypal');
  expect(skeletonOf('a\u00A0b')).toBe('a b');
  expect(skeletonOf('paypaI')).not.toBe(skeletonOf('paypal'));
});

test('JSON escapes invisible characters, and stays the same JSON', () => {
  const value = { 'a\u202Eb': ['\u200B\u{E0100}', 'Zürich'] };
  const text = revealedJson(value);
  expect(text).not.toMatch(/\u202E|\u200B|\u{E0100}/u);
  expect(text).toContain('\\u202e');
  expect(text).toContain('Zürich');
  expect(JSON.parse(text)).toEqual(value);
});
