import { expect, test } from 'vitest';
import { cutAround } from './cut-around.ts';

test('a difference far inside two long texts is still shown, on both sides', () => {
  const start = 'x'.repeat(200);
  const { left, right } = cutAround(`${start}A${'y'.repeat(200)}`, `${start}B${'y'.repeat(200)}`);
  expect(left).toContain('A');
  expect(right).toContain('B');
  expect(left.startsWith('…') && left.endsWith('…')).toBe(true);
  expect(left.length).toBeLessThan(50);
});

test('short texts stay whole, and a text that only ends earlier shows its end', () => {
  expect(cutAround('abc', 'abd')).toEqual({ left: 'abc', right: 'abd' });
  const long = 'z'.repeat(90);
  expect(cutAround(long, `${long}!`).right.endsWith('z!')).toBe(true);
});

test('a pair of surrogates is never cut apart', () => {
  const { left } = cutAround('😀'.repeat(100), `${'😀'.repeat(50)}x`);
  expect(left.isWellFormed()).toBe(true);
});
