import { expect, test } from 'vitest';
import { compareCharacters } from './compare-characters.ts';

test('the difference of two texts is minimal, and restores each text', () => {
  const { left, right } = compareCharacters('DE89 3704', 'DE98 3704');
  expect(left.filter(({ kind }) => kind === 'different').map(({ text }) => text)).toEqual(['8']);
  expect(right.filter(({ kind }) => kind === 'different').map(({ text }) => text)).toEqual(['8']);
  for (const [a, b] of [
    ['', 'x'],
    ['same', 'same'],
    ['🦊a', 'a🦊'],
    ['x'.repeat(3_000), 'y'.repeat(3_000)],
  ] as const) {
    const found = compareCharacters(a, b);
    expect(found.left.map(({ text }) => text).join('')).toBe(a);
    expect(found.right.map(({ text }) => text).join('')).toBe(b);
    const same = (side: typeof found.left) =>
      side
        .filter(({ kind }) => kind === 'same')
        .map(({ text }) => text)
        .join('');
    expect(same(found.left)).toBe(same(found.right));
  }
});
