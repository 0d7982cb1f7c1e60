import { HOUR_MS } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { rangeOf, startOf } from './time-range.ts';

test('bars begin at fixed moments, however late in one it is', () => {
  for (const name of ['24h', '7d', '30d', '1y']) {
    const range = rangeOf(name);
    const start = startOf(range, Date.UTC(2026, 10, 16, 6, 0));
    expect(startOf(range, Date.UTC(2026, 10, 16, 6, 59)), name).toBe(start);
    expect(start + range.bars * range.barMs).toBeGreaterThan(Date.UTC(2026, 10, 16, 6, 59));
  }
  const week = startOf(rangeOf('7d'), Date.UTC(2026, 10, 16, 6, 30));
  expect([0, 6, 12, 18]).toContain((week / HOUR_MS) % 24);
  expect(new Date(startOf(rangeOf('1y'), Date.UTC(2026, 10, 16))).getUTCDay()).toBe(1);
});
