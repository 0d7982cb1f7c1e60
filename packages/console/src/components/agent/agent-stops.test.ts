import { expect, test } from 'vitest';
import { isRising, lastDay, stopsOf } from './agent-stops.ts';

const row = (keyId: string, decision: 'pause' | 'block', timestamp: string, reason_code = 'x') => ({
  ...{ keyId, keyName: `bot ${keyId}`, decision, timestamp, reason_code },
});

test('the last day begins with the hour that the counts by hour begin with', () => {
  const { from, since } = lastDay(Date.parse('2026-11-18T13:20:00Z'));
  expect(new Date(since).toISOString()).toBe('2026-11-17T14:00:00.000Z');
  expect(new Date(from).toISOString()).toBe('2026-11-16T14:00:00.000Z');
});

test('stops are counted by agent, those of the day before apart', () => {
  const since = Date.parse('2026-11-17T14:00:00Z');
  const rows = [
    row('a', 'pause', '2026-11-17T14:00:00.000Z', 'old'),
    row('b', 'pause', '2026-11-17T15:00:00.000Z'),
    row('b', 'pause', '2026-11-17T16:00:00.000Z', 'new'),
    row('b', 'block', '2026-11-18T01:00:00.000Z', 'new'),
    row('b', 'pause', '2026-11-17T13:59:59.999Z'),
    row('b', 'block', '2026-11-17T13:00:00.000Z'),
  ];
  expect(stopsOf(rows, since)).toEqual([
    {
      ...{ keyId: 'b', name: 'bot b', pause: 2, block: 1, pausedBefore: 1 },
      reasons: [
        ['new', 2],
        ['x', 1],
      ],
    },
    { keyId: 'a', name: 'bot a', pause: 1, block: 0, pausedBefore: 0, reasons: [['old', 1]] },
  ]);
});

test('pauses rise if there are half as many more, and enough of them', () => {
  expect(isRising({ pause: 15, pausedBefore: 10 })).toBe(true);
  expect(isRising({ pause: 14, pausedBefore: 10 })).toBe(false);
  expect(isRising({ pause: 4, pausedBefore: 0 })).toBe(false);
  expect(isRising({ pause: 5, pausedBefore: 0 })).toBe(true);
});
