import { expect, test } from 'vitest';
import { isRising } from './agent-rates.ts';

const day = (checks: number, pause: number) => ({ day: '2026-11-16', checks, pause, block: 0 });

test('pauses rise if their share grows by a tenth, over enough checks', () => {
  expect(isRising([day(100, 10), day(100, 20)])).toBe(true);
  expect(isRising([day(100, 10), day(100, 19)])).toBe(false);
  expect(isRising([day(0, 0), day(4, 4)])).toBe(false);
  expect(isRising([day(10, 1)])).toBe(false);
});
