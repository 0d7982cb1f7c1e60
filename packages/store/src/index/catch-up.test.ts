import { expect, test } from 'vitest';
import { catchUpWithin } from './catch-up.ts';

test('a caller waits only for a limited time for an index that is far behind', async () => {
  let nowMs = 0;
  let steps = 0;
  const step = () => {
    nowMs += 60;
    steps += 1;
    return true;
  };
  const isDone = await catchUpWithin(
    2_000,
    step,
    () => false,
    () => nowMs,
  );
  expect([isDone, steps]).toEqual([false, 34]);
});

test('other work of the thread continues between two steps', async () => {
  const order: string[] = [];
  let steps = 0;
  const step = () => {
    order.push('step');
    steps += 1;
    return true;
  };
  const caughtUp = catchUpWithin(
    2_000,
    step,
    () => steps === 3,
    () => 0,
  );
  setImmediate(() => order.push('other'));
  expect(await caughtUp).toBe(true);
  expect(order.indexOf('other')).toBeLessThan(order.lastIndexOf('step'));
});

test('an index that has nothing left to read is caught up', async () => {
  expect(
    await catchUpWithin(
      2_000,
      () => false,
      () => false,
    ),
  ).toBe(true);
});
