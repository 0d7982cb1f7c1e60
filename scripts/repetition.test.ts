import { expect, test } from 'vitest';
import { repeated, slownessOf } from './repetition/pieces.ts';
import { tortureParsers, tortureRoutes } from './repetition/torture.ts';

test('every reader takes time in proportion to the length of repetitive input', {
  timeout: 300_000,
}, async () => {
  expect(await tortureParsers(16_384, 11)).toEqual([]);
});

test('every route does, wherever a caller puts it, and no error repeats it at length', {
  timeout: 300_000,
}, async () => {
  const { faults, count } = await tortureRoutes(97);
  expect(faults).toEqual([]);
  expect(count).toBeGreaterThan(500);
});

test('quadratic work is noticed, linear work is not', async () => {
  const quadratic = (text: string): void => void /\s*;q=/.exec(text);
  const linear = (text: string): void => void text.split('').sort().join('');
  const reader = (read: (text: string) => void) => ({ name: 'it', length: 16_384, read });
  expect(await slownessOf(reader(quadratic), ' ')).toContain('" " repeated to 16384 characters');
  expect(await slownessOf(reader(linear), ' ')).toBeNull();
  expect(repeated('ab', 3)).toBe('aba');
});
