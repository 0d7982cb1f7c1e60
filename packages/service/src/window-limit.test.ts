import { expect, test } from 'vitest';
import { WindowLimit } from './window-limit.ts';

test('exactly the limit is admitted in a window, and again in the next', () => {
  const limit = new WindowLimit(3, 1_000);
  const admitted = (nowMs: number) => limit.take('a', nowMs).admitted;
  expect([0, 1, 2, 3, 999].map(admitted)).toEqual([true, true, true, false, false]);
  expect(admitted(1_000)).toBe(true);
});

test('subjects do not share a window', () => {
  const limit = new WindowLimit(1, 1_000);
  expect(limit.take('a', 0).admitted).toBe(true);
  expect(limit.take('b', 0).admitted).toBe(true);
  expect(limit.take('a', 0)).toEqual({ admitted: false, remaining: 0, resetsInMs: 1_000 });
});

test('a clock set back does not keep a subject refused', () => {
  const limit = new WindowLimit(1, 1_000);
  limit.take('a', 1_000_000);
  expect(limit.take('a', 0).admitted).toBe(true);
});

test('a flood of subjects forgets the oldest instead of growing', () => {
  const limit = new WindowLimit(1, 1_000_000);
  for (let subject = 0; subject <= 100_000; subject += 1) limit.take(String(subject), 0);
  expect(limit.take('100000', 1).admitted).toBe(false);
  expect(limit.take('0', 1).admitted).toBe(true);
});

test('a peek counts nothing', () => {
  const limit = new WindowLimit(1, 1_000);
  expect(limit.peek('a', 0).admitted).toBe(true);
  expect(limit.take('a', 0).admitted).toBe(true);
  expect(limit.peek('a', 0).admitted).toBe(false);
  expect(limit.peek('a', 1_000).admitted).toBe(true);
});

test('many events admitted as one lengthen the window, so that the average holds', () => {
  const limit = new WindowLimit(10, 1_000);
  limit.take('a', 0);
  limit.charge('a', 49, 0);
  expect(limit.take('a', 4_999)).toEqual({ admitted: false, remaining: 0, resetsInMs: 1 });
  expect(limit.take('a', 5_000).admitted).toBe(true);
});
