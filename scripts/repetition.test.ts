import { expect, test } from 'vitest';
import { repeated, slownessOf } from './repetition/pieces.ts';
import { tortureParsers, tortureRoutes } from './repetition/torture.ts';

test('every parser handles repetitive input in linear time', {
  timeout: 300_000,
}, async () => {
  expect(await tortureParsers(16_384, 11)).toEqual([]);
});

test('every route does too, wherever the input is, and no error repeats it at length', {
  timeout: 300_000,
}, async () => {
  const { faults, count } = await tortureRoutes(97);
  expect(faults).toEqual([]);
  expect(count).toBeGreaterThan(500);
});

test('the check reports quadratic work and accepts linear work', { timeout: 300_000 }, async () => {
  const quadratic = (text: string): void => void /\s*;q=/.exec(text);
  const linear = (text: string): void => void text.split('').sort().join('');
  const reader = (read: (text: string) => void) => ({ name: 'it', length: 8_192, read });
  expect(await slownessOf(reader(quadratic), ' ')).toContain('" " repeated to 8192 characters');
  expect(await slownessOf(reader(linear), ' ')).toBeNull();
  expect(repeated('ab', 3)).toBe('aba');
});
