import { expect, test } from 'vitest';
import { foundIn } from './found-text.ts';

test('every match is marked in any case, and the stretches are the text', () => {
  const stretches = foundIn('V-2077, v-2078', 'v-207')!;
  expect(stretches.map(({ kind, text }) => [kind, text])).toEqual([
    ['found', 'V-207'],
    ['same', '7, '],
    ['found', 'v-207'],
    ['same', '8'],
  ]);
  expect(foundIn('V-2077', '')).toBeNull();
  expect(foundIn('V-2077', 'x')).toBeNull();
  expect(foundIn('\u0130stanbul', 'stan')).toBeNull();
});
