import { expect, test } from 'vitest';
import { WindowLimit } from '../window-limit.ts';
import { type Channel, shareLimits } from './share-limits.ts';

/** Channels of which each hears what the others send, through JSON as between processes. */
function connected(count: number): readonly Channel[] {
  const listeners: ((message: unknown) => void)[][] = Array.from({ length: count }, () => []);
  return listeners.map((own) => ({
    send: (message) => {
      const text = JSON.stringify(message);
      for (const others of listeners) {
        if (others !== own) for (const listener of others) listener(JSON.parse(text));
      }
    },
    onMessage: (listener) => void own.push(listener),
  }));
}

test('what one process admits counts in the others, and is not told back and forth', async () => {
  const limits = connected(3).map((channel) => {
    const limit = new WindowLimit(10, 60_000);
    const stop = shareLimits({ signups: limit }, channel, () => 0);
    return { limit, stop };
  });
  limits[0]!.limit.take('a', 0);
  // The first after a pause at once; those that follow closely travel together.
  expect(limits.map(({ limit }) => limit.peek('a', 0).remaining)).toEqual([9, 9, 9]);
  for (let round = 0; round < 3; round += 1) limits[0]!.limit.take('a', 0);
  expect(limits.map(({ limit }) => limit.peek('a', 0).remaining)).toEqual([6, 9, 9]);
  limits[1]!.limit.charge('a', 5, 0);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(limits.map(({ limit }) => limit.peek('a', 0).remaining)).toEqual([1, 1, 1]);
  expect(limits.map(({ limit }) => limit.peek('b', 0).remaining)).toEqual([10, 10, 10]);
  for (const { stop } of limits) stop();
});
