import { expect, test } from 'vitest';
import { closedByRevision } from './outdated-reviews.ts';

test('reviews are counted under the revision that closed them, with the time of its first', () => {
  const closed = ['02:29:12', '02:17:53', '02:17:52'].map((at) => ({ resolvedAt: `2026-11-18T${at}.000Z` }));
  const revisions = [
    { revision: 6, createdAt: '2026-11-18T02:29:12.000Z' },
    { revision: 5, createdAt: '2026-11-18T02:17:52.000Z' },
    { revision: 4, createdAt: '2026-11-17T00:00:00.000Z' },
  ];
  expect(closedByRevision(closed, revisions)).toEqual([
    { revision: 6, at: '2026-11-18T02:29:12.000Z', count: 1 },
    { revision: 5, at: '2026-11-18T02:17:52.000Z', count: 2 },
  ]);
  expect(closedByRevision(closed, [])).toEqual([
    { revision: null, at: '2026-11-18T02:17:52.000Z', count: 3 },
  ]);
});
