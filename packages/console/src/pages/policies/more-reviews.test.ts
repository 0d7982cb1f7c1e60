import { expect, test } from 'vitest';
import { moreReviews } from './more-reviews.ts';

const to = '2026-11-30T12:00:00.000Z';
const from = '2026-10-31T12:00:00.000Z';
const since = (writes: number, begun: string) => moreReviews(writes, { from, to, begun });

test('the rate of more reviews goes by the days that the log has, and says how many', () => {
  expect(since(21, '2026-11-23T10:00:00.000Z')).toBe(
    '21 more writes to approve in the 7 days this log has. That’s about 4 each working day.',
  );
  expect(since(21, '2026-10-31T13:00:00.000Z')).toBe(
    '21 more writes to approve in 30 days. That’s about 5 a week.',
  );
  expect(since(1, '2026-11-30T11:00:00.000Z')).toBe(
    '1 more write to approve in the day this log has. That’s about 1 each working day.',
  );
  // No weekend hides in the first days of a log.
  expect(since(9, '2026-11-27T12:00:00.000Z')).toContain('about 3 each working day');
});
