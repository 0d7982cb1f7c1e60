import { expect, test } from 'vitest';
import { BEHIND_MS_MAX, SteadyClock } from './steady-clock.ts';

test('time goes with the clock, and stands still if the clock is behind the newest record', () => {
  const clock = new SteadyClock(1_000_000, null);
  expect(clock.at(1_000_001)).toEqual({ kind: 'now', nowMs: 1_000_001 });
  expect(clock.at(999_000)).toEqual({ kind: 'now', nowMs: 1_000_000 });
});

test('a clock exactly a minute behind still decides, and a millisecond more does not', () => {
  const clock = new SteadyClock(1_000_000, null);
  expect(clock.at(1_000_000 - BEHIND_MS_MAX)).toEqual({ kind: 'now', nowMs: 1_000_000 });
  expect(clock.at(1_000_000 - BEHIND_MS_MAX - 1)).toEqual({
    kind: 'clock_behind',
    behindMs: BEHIND_MS_MAX + 1,
  });
});

test('an older record never takes time back', () => {
  const clock = new SteadyClock(0, null);
  clock.saw(5_000);
  clock.saw(4_000);
  expect(clock.at(4_500)).toEqual({ kind: 'now', nowMs: 5_000 });
});

test("the time written by a clock that is ahead is the second clock's, in whole milliseconds", () => {
  const clock = new SteadyClock(0, { aheadMs: () => 120_000.25 });
  expect(clock.notBefore(1_000_000)).toBe(879_999);
});
