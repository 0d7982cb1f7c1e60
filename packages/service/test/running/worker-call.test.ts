import { StoreUnavailable } from '@writecheck/store/port';
import { WorkerCall } from '@writecheck/store/threads/thread-calls';
import { afterEach, expect, test } from 'vitest';

const starts = new Int32Array(new SharedArrayBuffer(4));
const echo = (isLasting = false) =>
  new WorkerCall({
    ...{ name: './echo-thread', from: import.meta.url, data: { starts }, isLasting },
    unavailable: (why) => new StoreUnavailable(why, why),
  });
let calls = echo();
afterEach(() => calls.close());

const outcomeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.catch(({ why }: StoreUnavailable) => why);

test('overlapping calls each get their own results', async () => {
  const asked = Array.from({ length: 50 }, (_, i) => i);
  expect(await Promise.all(asked.map((i) => calls.call('say', i)))).toEqual(asked);
});

test('whatever a thread dies of, calls to the next one get their own results, or none', async () => {
  calls = echo();
  expect(await calls.call('say', 'before')).toBe('before');
  // Its end has two steps, and the second may come anywhere among the calls after the first.
  for (let round = 0; round < 20; round += 1) {
    const lost = Promise.all([calls.call('die'), calls.call('say', 'lost')].map(outcomeOf));
    const others: Promise<unknown>[] = [];
    for (let i = 0; i < 30; i += 1) {
      others.push(outcomeOf(calls.call('say', i)));
      await new Promise((resolve) => setTimeout(resolve, i % 3));
    }
    expect(await lost).toEqual(['unknown', 'unknown']);
    const answers = await Promise.all(others);
    expect(answers.filter((answer, i) => answer !== 'unknown' && answer !== i)).toEqual([]);
    expect(await calls.call('say', 'after')).toBe('after');
  }
});

test('a message that cannot be sent is refused, and the next one gets its result', async () => {
  calls = echo();
  await expect(calls.call('say', () => undefined)).rejects.toThrow();
  expect(await calls.call('say', 'next')).toBe('next');
});

test('a thread with its own work runs without being called, and again after it died', async () => {
  const before = starts[0]!;
  calls = echo(true);
  await expect.poll(() => starts[0]).toBe(before + 1);
  expect(await outcomeOf(calls.call('die'))).toBe('unknown');
  await expect.poll(() => starts[0]).toBe(before + 2);
  await calls.close();
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  expect(starts[0]).toBe(before + 2);
});
