/** Retries: when, how often, and how far `Retry-After` counts. */
import { DAY_MS } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { ATTEMPTS_MAX, nextAttemptAt } from './schedule.ts';
import { retryAfter } from './send.ts';

test('nine retries, each with at most a tenth of jitter, never early', () => {
  const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
  expect(ATTEMPTS_MAX).toBe(waits.length + 1);
  for (const [i, seconds] of waits.entries()) {
    expect(nextAttemptAt(i + 1, null, 7, 0)).toBe(7 + seconds * 1_000);
    expect(nextAttemptAt(i + 1, null, 7, 1)).toBe(7 + seconds * 1_100);
  }
  expect(nextAttemptAt(waits.length + 1, null, 7, 0)).toBeNull();
});

test('Retry-After postpones, by a day at most, and never brings an attempt forward', () => {
  expect(nextAttemptAt(1, 60_000, 0, 0)).toBe(60_000);
  expect(nextAttemptAt(2, 1_000, 0, 0)).toBe(300_000);
  expect(nextAttemptAt(1, 10 * DAY_MS, 0, 0)).toBe(DAY_MS);
  // The last attempt stays the last.
  expect(nextAttemptAt(10, 60_000, 0, 0)).toBeNull();
});

test('Retry-After is seconds or a date; anything else counts as not sent', () => {
  expect(retryAfter('120', 0)).toBe(120_000);
  expect(retryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 0)).toBe(60_000);
  expect(retryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 90_000)).toBe(0);
  for (const odd of ['soon', '-5', '', undefined, ['1', '2']]) expect(retryAfter(odd, 0)).toBeNull();
});
