import { describe, expect, test } from 'vitest';
import { CONDITION_BUDGET, newConditionBudget } from './budget.ts';
import { compileCondition } from './condition.ts';
import { clockReader } from './time-zone.ts';

const INTENT = { system: 'erp', metadata: { at: '2026-03-29T00:59:59Z', zone: 'UTC' } };

function evaluate(source: string, now = '2026-11-16T08:30:00Z', budget = newConditionBudget()) {
  const compiled = compileCondition(source);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.condition.evaluate(INTENT, Date.parse(now), budget);
}

test('a condition can express business hours: weekdays from nine to five in Berlin', () => {
  const zone = '"Europe/Berlin"';
  const open = `now.getDayOfWeek(${zone}) in [1, 2, 3, 4, 5] && now.getHours(${zone}) >= 9 && now.getHours(${zone}) < 17`;
  expect(evaluate(open, '2026-11-16T07:59:59.999Z')).toBe('skips');
  expect(evaluate(open, '2026-11-16T08:00:00Z')).toBe('applies');
  expect(evaluate(open, '2026-11-16T15:59:59.999Z')).toBe('applies');
  expect(evaluate(open, '2026-11-16T16:00:00Z')).toBe('skips');
  expect(evaluate(open, '2026-11-15T10:00:00Z')).toBe('skips');
  // The same hours are an hour earlier in UTC in summer.
  expect(evaluate(open, '2026-07-06T07:00:00Z')).toBe('applies');
});

describe('the hour and the day of a moment', () => {
  test.each<[string, string, number, number]>([
    ['2026-11-15T23:30:00Z', 'UTC', 23, 0],
    ['2026-11-15T23:30:00Z', 'Europe/Berlin', 0, 1],
    ['2026-11-15T23:30:00Z', 'europe/berlin', 0, 1],
    ['2026-11-15T23:30:00Z', 'America/New_York', 18, 0],
    ['2026-11-15T23:30:00Z', 'Asia/Kathmandu', 5, 1],
    ['2026-11-15T23:30:00Z', '+01:00', 0, 1],
    ['2026-11-15T23:30:00Z', '01:00', 0, 1],
    ['2026-11-15T23:30:00Z', '-12:45', 10, 0],
    // The hour that Berlin's clocks skip, and the one that they repeat.
    ['2026-03-29T00:59:59Z', 'Europe/Berlin', 1, 0],
    ['2026-03-29T01:00:00Z', 'Europe/Berlin', 3, 0],
    ['2026-10-25T00:30:00Z', 'Europe/Berlin', 2, 0],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', 2, 0],
    ['1969-12-31T23:59:59.999Z', 'UTC', 23, 3],
    ['0001-01-01T00:00:00Z', 'UTC', 0, 1],
    ['9999-12-31T23:59:59Z', 'Pacific/Auckland', 12, 6],
  ])('%s in %s', (at, zone, hour, day) => {
    const nanos = BigInt(Date.parse(at)) * 1_000_000n;
    expect(clockReader('getHours', zone)!(nanos)).toBe(BigInt(hour));
    expect(clockReader('getDayOfWeek', zone)!(nanos)).toBe(BigInt(day));
  });

  test('is that of the moment before, a nanosecond before 1970', () => {
    expect(clockReader('getHours', 'UTC')!(-1n)).toBe(23n);
    expect(clockReader('getDayOfWeek', 'Europe/Berlin')!(-3_600_000_000_001n)).toBe(3n);
  });

  test('is in UTC without a zone, and can be read from times of the intent too', () => {
    expect(evaluate('now.getHours() == 8')).toBe('applies');
    expect(evaluate('timestamp(intent.metadata.at).getHours("Europe/Berlin") == 1')).toBe('applies');
    expect(evaluate('(now + duration("1h")).getHours("-08:00") == 1')).toBe('applies');
    expect(evaluate('timestamp(intent.metadata.zone).getHours() == 1')).toBe('error');
  });
});

test.each<[string, number, RegExp]>([
  ['now.getHours("Europe/Berln") == 9', 14, /no time zone `Europe\/Berln`/],
  ['now.getHours("CEST+1") == 9', 14, /no time zone/],
  ['now.getHours("+24:00") == 9', 14, /no time zone/],
  ['now.getHours("") == 9', 14, /no time zone/],
  ['now.getHours(intent.metadata.zone) == 9', 14, /a time zone in quotes/],
  ['now.getHours(1) == 9', 14, /a time zone in quotes/],
  ['now.getHours("UTC", "UTC") == 9', 5, /takes one time zone, found 2/],
  ['intent.metadata.at.getHours() == 9', 1, /needs a timestamp, .*write `timestamp\(...\)`/],
  ['duration("1h").getHours() == 1', 1, /needs a timestamp, found a duration/],
  ['getHours(now) == 9', 1, /written after a timestamp/],
  ['now.getHours() == "9"', 16, /cannot compare/],
  ['now.getMinutes() == 9', 5, /no method `getMinutes`/],
])('%s is refused when it is loaded, with its place', (source, column, message) => {
  const compiled = compileCondition(source);
  if (compiled.kind !== 'invalid') throw new Error('it compiled');
  expect(compiled.faults).toEqual([{ line: 1, column, message: expect.stringMatching(message) }]);
});

test('reading a clock counts against the budget, and an exhausted one pauses', () => {
  const source = 'now.getHours("Europe/Berlin") >= 0';
  const budget = newConditionBudget();
  expect(evaluate(source, undefined, budget)).toBe('applies');
  expect(CONDITION_BUDGET - budget.left).toBeGreaterThan(1_000);
  expect(evaluate(source, undefined, { left: 500 })).toBe('error');
});
