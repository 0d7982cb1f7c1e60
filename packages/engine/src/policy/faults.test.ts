import { expect, test } from 'vitest';
import { quoted } from './faults.ts';

test('what somebody wrote is quoted, and cut after 60 characters', () => {
  expect(quoted('')).toBe('``');
  expect(quoted('x'.repeat(60))).toBe(`\`${'x'.repeat(60)}\``);
  expect(quoted('x'.repeat(61))).toBe(`\`${'x'.repeat(60)}…\``);
});

test('a character that is cut in two is shown as what it is not', () => {
  expect(quoted(`${'x'.repeat(59)}😀y`)).toBe(`\`${'x'.repeat(59)}\ufffd…\``);
});
