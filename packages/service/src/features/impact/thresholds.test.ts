import { DAY_MS } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { DEFAULT_THRESHOLDS, isAsStrictAsDefault, unmetThresholds } from './thresholds.ts';

test('meeting a threshold exactly is enough, and unmet ones are listed in order', () => {
  expect(unmetThresholds(DEFAULT_THRESHOLDS, 7 * DAY_MS, 100, 0.05)).toEqual([]);
  expect(unmetThresholds(DEFAULT_THRESHOLDS, 7 * DAY_MS - 1, 99, 0.051)).toEqual([
    { code: 'days', have: 6.99, need: 7 },
    { code: 'decisions', have: 99, need: 100 },
    { code: 'stopped', have: 0.051, need: 0.05 },
  ]);
  expect(unmetThresholds(DEFAULT_THRESHOLDS, 29 * 60_000, 100, 0)).toEqual([
    { code: 'days', have: 0.02, need: 7 },
  ]);
});

test('only thresholds no laxer than the defaults earn a promotion', () => {
  expect(isAsStrictAsDefault(DEFAULT_THRESHOLDS)).toBe(true);
  expect(isAsStrictAsDefault({ minDays: 14, minDecisions: 200, maxStopped: 0 })).toBe(true);
  expect(isAsStrictAsDefault({ ...DEFAULT_THRESHOLDS, minDays: 6.9 })).toBe(false);
  expect(isAsStrictAsDefault({ ...DEFAULT_THRESHOLDS, minDecisions: 99 })).toBe(false);
  expect(isAsStrictAsDefault({ ...DEFAULT_THRESHOLDS, maxStopped: 0.051 })).toBe(false);
});
