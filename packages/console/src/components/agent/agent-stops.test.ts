import { expect, test } from 'vitest';
import { lastDay, risesIn, stopsOf } from './agent-stops.ts';

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

test('pauses rise if there are twice as many as on a usual day of a week that the key has seen', () => {
  const since = '2026-11-17T14:00:00.000Z';
  const rises = (pause: number, pausedBefore: number, days = 7, createdAt = '2026-01-01T00:00:00.000Z') =>
    risesIn(
      {
        ...{ since, days, isComplete: true },
        agents: [{ keyId: 'a', name: 'bot', pause, block: 0, pausedBefore, reasons: [] }],
      },
      [{ id: 'a', createdAt }],
    ).map(({ usual }) => usual);
  expect(rises(10, 35)).toEqual([5]);
  expect(rises(9, 0)).toEqual([]);
  expect(rises(10, 36)).toEqual([]);
  expect(rises(10, 0)).toEqual([0]);
  // Two days say little of what is usual. A key of this morning has nothing usual, and many pauses are many.
  expect(rises(100, 0, 2)).toEqual([]);
  expect(rises(20, 0, 7, '2026-11-18T09:00:00.000Z')).toEqual([null]);
  expect(rises(19, 0, 7, '2026-11-18T09:00:00.000Z')).toEqual([]);
  expect(rises(12, 24, 7, '2026-11-13T14:00:00.000Z')).toEqual([6]);
  expect(rises(11, 24, 7, '2026-11-13T14:00:00.000Z')).toEqual([]);
  const unknown = { keyId: 'b', name: 'bot', pause: 99, block: 0, pausedBefore: 0, reasons: [] };
  expect(risesIn({ since, days: 7, isComplete: true, agents: [unknown] }, [])).toEqual([]);
});
