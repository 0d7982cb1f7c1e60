import { expect, test } from 'vitest';
import { testInPart } from './in-part.ts';
import { repeated, slownessOf } from './repetition/pieces.ts';
import { tortureParsers, tortureRoutes } from './repetition/torture.ts';

testInPart(
  {
    part: 60,
    whole: 11,
    named: (count) => `every parser handles repetitive input in linear time, at one in ${count} pieces`,
  },
  async (every) => expect(await tortureParsers(16_384, every)).toEqual([]),
);

testInPart(
  {
    part: 586,
    whole: 97,
    named: (count) =>
      `every route does too, wherever the input is, and no error repeats it at length, at one in ${count} pieces`,
  },
  async (every) => {
    const { faults, count } = await tortureRoutes(every);
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(50_000 / every);
  },
);

test('the check reports quadratic work and accepts linear work', { timeout: 300_000 }, async () => {
  const quadratic = (text: string): void => void /\s*;q=/.exec(text);
  const linear = (text: string): void => void text.split('').sort().join('');
  const reader = (read: (text: string) => void) => ({ name: 'it', length: 8_192, read });
  expect(await slownessOf(reader(quadratic), ' ')).toContain('" " repeated to 8192 characters');
  expect(await slownessOf(reader(linear), ' ')).toBeNull();
  expect(repeated('ab', 3)).toBe('aba');
});
