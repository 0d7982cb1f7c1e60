import { expect, test } from 'vitest';
import { nearestName, quoted } from './faults.ts';

test('what somebody wrote is quoted, and cut after 64 characters', () => {
  expect(quoted('')).toBe('``');
  expect(quoted('x'.repeat(64))).toBe(`\`${'x'.repeat(64)}\``);
  expect(quoted('x'.repeat(65))).toBe(`\`${'x'.repeat(64)}…\``);
});

test('no character is cut in two, and half of one is shown as what it is not', () => {
  expect(quoted(`${'x'.repeat(63)}😀y`)).toBe(`\`${'x'.repeat(63)}😀…\``);
  expect(quoted('\ud83d')).toBe('`\ufffd`');
});

test('of several names the nearest is meant, the first of equals, and none that is far', () => {
  expect(nearestName('writePolcy', ['writePolice', 'writePolicy', 'match'])).toBe('writePolicy');
  expect(nearestName('writePolicx', ['writePolicy', 'writePolicz'])).toBe('writePolicy');
  expect(nearestName('write_policy', ['match', 'writePolicy'])).toBe('writePolicy');
  expect(nearestName('xyz', ['match', 'require'])).toBeNull();
  expect(nearestName('x'.repeat(61), ['x'.repeat(60)])).toBeNull();
  expect(nearestName('x'.repeat(60), ['x'.repeat(61)])).toBe('x'.repeat(61));
});
