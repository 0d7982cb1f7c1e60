import { expect, test } from 'vitest';
import { isWithin } from './chosen-days.ts';

test('both chosen days count as a whole, and an end that is left out is open', () => {
  const at = new Date(2026, 10, 18, 23, 59, 59).toISOString();
  expect(isWithin(at, { from: '2026-11-18', to: '2026-11-18' })).toBe(true);
  expect(isWithin(at, { from: '', to: '2026-11-17' })).toBe(false);
  expect(isWithin(at, { from: '2026-11-19', to: '' })).toBe(false);
  expect(isWithin(at, { from: '', to: '' })).toBe(true);
});
