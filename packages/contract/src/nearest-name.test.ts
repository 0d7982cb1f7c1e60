import { expect, test } from 'vitest';
import { nearestName } from './nearest-name.ts';

test('of several names the nearest is meant, the first of equals, and none that is too different', () => {
  expect(nearestName('writePolcy', ['writePolice', 'writePolicy', 'match'])).toBe('writePolicy');
  expect(nearestName('writePolicx', ['writePolicy', 'writePolicz'])).toBe('writePolicy');
  expect(nearestName('write_policy', ['match', 'writePolicy'])).toBe('writePolicy');
  expect(nearestName('xyz', ['match', 'require'])).toBeNull();
  expect(nearestName('x'.repeat(61), ['x'.repeat(60)])).toBeNull();
  expect(nearestName('x'.repeat(60), ['x'.repeat(61)])).toBe('x'.repeat(61));
});
