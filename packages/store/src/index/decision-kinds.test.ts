import { DAY_MS, HOUR_MS } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { fc } from '../../../../scripts/fast-check.ts';
import { daysOf, isByKind, runsOf } from './decision-kinds.ts';

test('runs cover exactly the hours of the days, without gaps inside and in the order of the list', () => {
  const days = fc.uniqueArray(
    fc.record({ day: fc.integer({ min: 0, max: 6 }), hours: fc.integer({ min: 0, max: 2 ** 24 - 1 }) }),
    {
      selector: ({ day }) => day,
    },
  );
  fc.assert(
    fc.property(days, fc.constantFrom('newest' as const, 'oldest' as const), (some, order) => {
      const sorted = some.toSorted((a, b) => (order === 'oldest' ? a.day - b.day : b.day - a.day));
      const runs = runsOf(sorted, order);
      const covered = runs.flatMap(({ fromMs, toMs }) =>
        Array.from({ length: (toMs - fromMs) / HOUR_MS }, (_, i) => fromMs / HOUR_MS + i),
      );
      const wanted = some.flatMap(({ day, hours }) =>
        Array.from({ length: 24 }, (_, hour) => hour).flatMap((hour) =>
          hours & (1 << hour) ? [day * 24 + hour] : [],
        ),
      );
      expect(covered.toSorted((a, b) => a - b)).toEqual(wanted.toSorted((a, b) => a - b));
      for (const [i, { fromMs }] of runs.entries()) {
        const before = runs[i - 1];
        if (before === undefined) continue;
        if (order === 'oldest') expect(fromMs).toBeGreaterThan(before.toMs);
        else expect(runs[i]!.toMs).toBeLessThan(before.fromMs);
      }
    }),
  );
});

test('the days of a query are bounded by its times and its cursor', () => {
  const query = { workspace: 'ws_1', limit: 1, fromMs: DAY_MS + 1, toMs: 5 * DAY_MS };
  expect(daysOf(query, null)).toEqual({ first: 1, last: 4 });
  expect(daysOf(query, 3 * DAY_MS)).toEqual({ first: 1, last: 3 });
  expect(daysOf({ ...query, order: 'oldest' }, 3 * DAY_MS)).toEqual({ first: 3, last: 4 });
  expect(daysOf({ workspace: 'ws_1', limit: 1 }, null)).toEqual({ first: 0, last: 104_249_991 });
});

test('an object or a run is found by its own index', () => {
  const query = { workspace: 'ws_1', limit: 1 };
  expect(isByKind(query)).toBe(false);
  expect(isByKind({ ...query, system: 'erp' })).toBe(true);
  expect(isByKind({ ...query, isWarned: true })).toBe(true);
  expect(isByKind({ ...query, system: 'erp', objectRef: 'V-1' })).toBe(false);
});
