import { expect, test } from 'vitest';
import { isLate, LATENESS_MS_MAX } from './lateness.ts';

test('a request is late once it is more than the maximum behind the newest record', () => {
  const at = (atMs: number) => ({ atMs });
  const newestMs = 1_000_000;
  expect(isLate([at(newestMs - LATENESS_MS_MAX)], newestMs)).toBe(false);
  expect(isLate([at(newestMs), at(newestMs - LATENESS_MS_MAX - 1)], newestMs)).toBe(true);
  expect(isLate([], newestMs)).toBe(false);
});
