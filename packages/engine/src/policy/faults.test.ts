import { expect, test } from 'vitest';
import { quoted } from './faults.ts';

test('input of an author is quoted, and cut after 64 characters', () => {
  expect(quoted('')).toBe('``');
  expect(quoted('x'.repeat(64))).toBe(`\`${'x'.repeat(64)}\``);
  expect(quoted('x'.repeat(65))).toBe(`\`${'x'.repeat(64)}…\``);
});

test('no character is cut in two, and a lone half is shown as a replacement', () => {
  expect(quoted(`${'x'.repeat(63)}😀y`)).toBe(`\`${'x'.repeat(63)}😀…\``);
  expect(quoted('\ud83d')).toBe('`\ufffd`');
});
