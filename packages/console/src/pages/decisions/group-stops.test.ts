import type { DecisionSummary } from '@writecheck/api';
import { expect, test } from 'vitest';
import { groupStops } from './group-stops.ts';

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

test('a burst and look-alikes are listed, and pauses over days are normal work', () => {
  const rows = (code: string, last: string) =>
    [last, '2026-11-17T09:30:00.000Z', '2026-11-17T09:00:00.000Z'].map(
      (timestamp) =>
        ({ keyId: 'key_1', keyName: 'ap-bot', runId: null, reason_code: code, timestamp }) as DecisionSummary,
    );
  expect(groupStops(rows('limit_exceeded', '2026-11-17T10:00:00.000Z'), 3)).toHaveLength(1);
  expect(groupStops(rows('limit_exceeded', '2026-11-17T10:00:01.000Z'), 3)).toEqual([]);
  expect(groupStops(rows('look_alike', '2026-11-20T09:00:00.000Z'), 3)).toHaveLength(1);
});
