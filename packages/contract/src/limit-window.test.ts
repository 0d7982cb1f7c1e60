import { describe, expect, test } from 'vitest';
import { amountOfNumber, amountOfSum, amountOfText, amountText } from './amount.ts';
import {
  calendarMonth,
  counts,
  type Draws,
  drawnAt,
  drawsEndMs,
  drawsOfText,
  drawsText,
  type LimitWindow,
  limitWindow,
  stepEndsMs,
  stepOf,
  withDraw,
} from './limit-window.ts';

const at = (text: string): number => Date.parse(text);
const windowOf = (per: string): LimitWindow => limitWindow(per)!;

describe('an amount', () => {
  test('is exact, with zeros at its ends dropped', () => {
    expect(amountText(amountOfText('007.50')!)).toBe('7.5');
    expect(amountText(amountOfNumber(0.1)! + amountOfNumber(0.2)!)).toBe('0.3');
    expect(amountText(amountOfText('999999999999999')!)).toBe('999999999999999');
    expect(amountOfText(`${'0'.repeat(20)}1.5${'0'.repeat(20)}`)).toBe(1_500_000n);
    expect(amountOfNumber(-0)).toBe(0n);
    expect(amountOfSum(amountText(123_456_789_000_001n))).toBe(123_456_789_000_001n);
  });

  test.each([
    '',
    '-1',
    '+1',
    '1.',
    '.5',
    '1e3',
    ' 1',
    '1 ',
    '1,5',
    '٣',
    '1000000000000000',
    '0.1234567',
    '1234567890.123456',
    'NaN',
    '0x1',
  ])('that is `%s` cannot be read', (text) => {
    expect(amountOfText(text)).toBeNull();
  });

  test.each([-1, 1e15, 1e21, 1e-7, 0.1 + 0.2, Number.NaN, Number.POSITIVE_INFINITY])(
    'that is the number %s cannot be read',
    (value) => {
      expect(amountOfNumber(value)).toBeNull();
    },
  );
});

describe('a window', () => {
  test('is a calendar unit, or a duration from one minute to 31 days', () => {
    for (const per of ['hour', 'day', 'week', 'month', '60s', '1m', '1.5h', '31d'])
      expect(limitWindow(per), per).not.toBeNull();
    for (const per of ['year', 'Day', '59s', '0m', '32d', '745h', '1w', '', 'P1D'])
      expect(limitWindow(per), per).toBeNull();
  });

  test.each([
    ['hour', '2026-11-17T21:59:59.999Z', '2026-11-17T21:00:00Z', '2026-11-17T22:00:00Z'],
    ['day', '2026-11-17T00:00:00.000Z', '2026-11-17T00:00:00Z', '2026-11-18T00:00:00Z'],
    ['week', '2026-11-22T23:59:59.999Z', '2026-11-16T00:00:00Z', '2026-11-23T00:00:00Z'],
    ['week', '2026-11-23T00:00:00.000Z', '2026-11-23T00:00:00Z', '2026-11-30T00:00:00Z'],
    ['month', '2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ])('of a %s that holds %s begins at %s and ends at %s', (per, now, begin, end) => {
    const step = stepOf(windowOf(per), at(now));
    expect(step).toBe(at(begin));
    expect(stepEndsMs(windowOf(per), step)).toBe(at(end));
  });

  test('that rolls counts a draw until 61 steps later, to the millisecond', () => {
    const window = windowOf('7m');
    const drawnMs = at('2026-11-17T21:00:00.123Z');
    const step = stepOf(window, drawnMs);
    const endMs = stepEndsMs(window, step);
    expect(stepOf(window, endMs)).toBe(step + 61);
    expect(stepOf(window, endMs - 1)).toBe(step + 60);
    expect(counts(window, step, endMs - 1)).toBe(true);
    expect(counts(window, step, endMs)).toBe(false);
    // A decision may be older than a draw that was committed before it.
    expect(counts(window, step, drawnMs - 60_000)).toBe(true);
  });

  test('of a calendar unit counts only its own draws, even for a late decision', () => {
    const window = windowOf('day');
    const yesterday = at('2026-11-16T23:59:59Z');
    const today = at('2026-11-17T00:00:01Z');
    let draws: Draws = withDraw(window, [], stepOf(window, yesterday), 5n, yesterday);
    draws = withDraw(window, draws, stepOf(window, today), 7n, today);
    expect(drawnAt(window, draws, yesterday).drawn).toBe(5n);
    expect(drawnAt(window, draws, today)).toEqual({ drawn: 7n, resetsAtMs: at('2026-11-18T00:00:00Z') });
  });

  test('resets when its oldest draw over 0 stops counting, or never', () => {
    const window = windowOf('1h');
    expect(drawnAt(window, [], 0)).toEqual({ drawn: 0n, resetsAtMs: null });
    const draws: Draws = [
      [10, 0n],
      [20, 3n],
      [30, 4n],
    ];
    expect(drawnAt(window, draws, stepEndsMs(window, 20) - 1)).toEqual({
      drawn: 7n,
      resetsAtMs: stepEndsMs(window, 20),
    });
    expect(drawnAt(window, draws, stepEndsMs(window, 20)).drawn).toBe(4n);
  });

  test('drops draws that no decision can still count, and gives back', () => {
    const window = windowOf('1m');
    const first = stepOf(window, 1_000_000);
    const draws = withDraw(window, [], first, 5n, 1_000_000);
    expect(withDraw(window, draws, first, -5n, 1_000_000)).toEqual([]);
    const laterMs = 1_000_000 + 600_000;
    expect(withDraw(window, draws, stepOf(window, laterMs), 1n, laterMs)).toEqual([
      [stepOf(window, laterMs), 1n],
    ]);
    expect(drawsEndMs(window, draws)).toBe(stepEndsMs(window, first));
    expect(drawsOfText(drawsText(draws))).toEqual(draws);
    expect(drawsOfText('')).toEqual([]);
  });
});

test('a calendar month is of UTC, whichever was asked for before', () => {
  const november = {
    period: '2026-11',
    startsAtMs: at('2026-11-01T00:00Z'),
    endsAtMs: at('2026-12-01T00:00Z'),
  };
  expect(calendarMonth(november.endsAtMs - 1)).toEqual(november);
  expect(calendarMonth(november.startsAtMs)).toEqual(november);
  expect(calendarMonth(november.endsAtMs).period).toBe('2026-12');
  expect(calendarMonth(november.startsAtMs - 1).period).toBe('2026-10');
});
