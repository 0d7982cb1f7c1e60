import { DAY_MS, HOUR_MS } from '@writecheck/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rangeBetween, rangeOf, startOf } from './time-range.ts';
import { ticksOf } from './time-words.ts';

const NOW = Date.parse('2026-11-18T14:22:00Z');
const zone = process.env.TZ;
beforeEach(() => {
  process.env.TZ = 'UTC';
  // The year is left out of the dates of this year.
  vi.useFakeTimers({ toFake: ['Date'], now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

function ticksFor(range: ReturnType<typeof rangeOf>, fromMs: number, isUpToNow = true) {
  const bars = Array.from({ length: range.bars }, (_, at) => ({
    fromMs: fromMs + at * range.barMs,
    toMs: fromMs + (at + 1) * range.barMs,
  }));
  return ticksOf(bars, range, isUpToNow);
}

test('a week of bars has a tick where each day begins, so that a bar stands right of its own date', () => {
  const week = rangeOf('7d');
  const ticks = ticksFor(week, startOf(week, NOW));
  expect(ticks.map(({ text }) => text)).toEqual([
    '12 Nov',
    '13 Nov',
    '14 Nov',
    '15 Nov',
    '16 Nov',
    '17 Nov',
    '18 Nov',
    'now',
  ]);
  // The window begins at 18:00, six hours before its first day.
  expect(ticks[0]?.at).toBeCloseTo(6 / 168);
  expect(ticks[6]?.at).toBeCloseTo(150 / 168);
});

test('days begin by the clock of the reader, within a bar where need be', () => {
  process.env.TZ = 'Asia/Kolkata';
  const week = rangeOf('7d');
  const ticks = ticksFor(week, startOf(week, NOW));
  // 18:00 in UTC is 23:30 there.
  expect(ticks[0]?.at).toBeCloseTo(0.5 / 168);
});

test('a day that began just before the end keeps its place, without a label over the last', () => {
  const week = rangeOf('7d');
  const ticks = ticksFor(week, startOf(week, Date.parse('2026-11-18T02:00:00Z')));
  expect(ticks.at(-2)?.text).toBe('');
  expect(ticks.at(-2)?.at).toBeCloseTo(162 / 168);
});

test('up to a day is read by the clock, two days by both, longer stretches by whole days', () => {
  const day = rangeOf('24h');
  expect(ticksFor(day, startOf(day, NOW))[0]?.text).toBe('15:00');
  const from = Date.parse('2026-11-16T06:00:00Z');
  expect(ticksFor(rangeBetween(from, from + 48 * HOUR_MS), from, false)[0]?.text).toBe('16 Nov, 06:00');
  const month = rangeOf('30d');
  expect(ticksFor(month, startOf(month, NOW))[0]).toEqual({ text: '20 Oct', at: 0 });
  const fortnight = ticksFor(rangeBetween(from, from + 14 * DAY_MS), from, false);
  expect(fortnight.map(({ text }) => text).slice(0, 2)).toEqual(['17 Nov', '19 Nov']);
  expect(fortnight.at(-1)?.text).toBe('30 Nov, 06:00');
});
