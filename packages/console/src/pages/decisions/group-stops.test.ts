import type { DecisionSummary } from '@writecheck/api';
import { expect, test } from 'vitest';
import { groupStops, isUrgent } from './group-stops.ts';

test('stops are grouped by agent, run and reason, the largest group first, single ones left out', () => {
  const row = (runId: string | null, code: string, minute: number) =>
    ({
      ...{ keyId: 'key_1', keyName: 'ap-bot', runId, reason_code: code },
      timestamp: `2026-11-17T09:${minute}:00.000Z`,
    }) as DecisionSummary;
  const rows = [
    ...[30, 25, 20, 12].map((minute) => row('run-1', 'CONTROL_EVIDENCE_STALE', minute)),
    ...[29, 28, 27].map((minute) => row(null, 'CONTROL_EVIDENCE_STALE', minute)),
    ...[26, 22].map((minute) => row('run-1', 'CONTROL_FAILED', minute)),
  ];
  expect(
    groupStops(rows, 3).map(({ runId, count, from, to }) => [
      runId,
      count,
      from.slice(11, 16),
      to.slice(11, 16),
    ]),
  ).toEqual([
    ['run-1', 4, '09:12', '09:30'],
    [null, 3, '09:27', '09:29'],
  ]);
  const scattered = [40, 39, 38].map((minute) => row(`run-${minute}`, 'frozen', minute));
  expect(groupStops(scattered, 3)).toMatchObject([{ runId: null, code: 'frozen', count: 3 }]);
});

test('a burst and look-alikes are urgent, and pauses over days are not', () => {
  const group = { keyId: 'key_1', agent: 'ap-bot', runId: null, code: 'limit_exceeded', count: 33 };
  const from = '2026-11-17T09:00:00.000Z';
  expect(isUrgent({ ...group, from, to: '2026-11-17T10:00:00.000Z' })).toBe(true);
  expect(isUrgent({ ...group, from, to: '2026-11-17T10:00:01.000Z' })).toBe(false);
  expect(isUrgent({ ...group, code: 'look_alike', from, to: '2026-11-20T09:00:00.000Z' })).toBe(true);
});
