import { expect, test } from 'vitest';
import { quoted } from './faults.ts';

test('what somebody wrote is quoted, and cut after 64 characters', () => {
  expect(quoted('')).toBe('``');
  expect(quoted('x'.repeat(64))).toBe(`\`${'x'.repeat(64)}\``);
  expect(quoted('x'.repeat(65))).toBe(`\`${'x'.repeat(64)}…\``);
});

test('no character is cut in two, and half of one is shown as what it is not', () => {
  expect(quoted(`${'x'.repeat(63)}😀y`)).toBe(`\`${'x'.repeat(63)}😀…\``);
  expect(quoted('\ud83d')).toBe('`\ufffd`');
});
