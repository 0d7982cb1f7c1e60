import { expect, test } from 'vitest';
import { LastUses } from './last-uses.ts';

test('a use during a flush is written with the next one, after those that have waited longer', async () => {
  const written: (readonly (readonly [string, number])[])[] = [];
  let [isFailing, trustedMs] = [true, 100];
  const uses = new LastUses(
    async (some) => {
      if (isFailing) throw new Error('no');
      written.push(some);
      if (written.length === 1) uses.note('a', 5);
    },
    () => trustedMs,
  );
  uses.note('a', 1);
  uses.note('b', 2);
  await expect(uses.flush()).rejects.toThrow('no');
  expect(uses.latestMs('a')).toBe(1);
  isFailing = false;
  await uses.flush(1);
  expect([uses.latestMs('a'), uses.latestMs('b')]).toEqual([5, 2]);
  await uses.flush(1);
  // Another replica would trust a time that is ahead.
  trustedMs = 3;
  await uses.flush(1);
  await uses.flush(1);
  expect(written).toEqual([[['a', 1]], [['b', 2]], [['a', 3]]]);
  expect(uses.latestMs('a')).toBe(0);
});
