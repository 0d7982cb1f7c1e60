import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { limitMemory, WindowLimit } from './window-limit.ts';

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
  const limit = new WindowLimit(1, 1_000_000, limitMemory(64));
  for (let subject = 0; subject <= 5_000; subject += 1) limit.take(String(subject), subject);
  expect(limit.take('5000', 5_001).admitted).toBe(false);
  expect(limit.take('0', 5_001).admitted).toBe(true);
});

test('a request that began a moment before the window does not start it again', () => {
  const limit = new WindowLimit(2, 1_000);
  expect([10, 9, 10, 9].map((nowMs) => limit.take('a', nowMs).admitted)).toEqual([true, true, false, false]);
});

test('a peek counts nothing', () => {
  const limit = new WindowLimit(1, 1_000);
  expect(limit.peek('a', 0).admitted).toBe(true);
  expect(limit.take('a', 0).admitted).toBe(true);
  expect(limit.peek('a', 0).admitted).toBe(false);
  expect(limit.peek('a', 1_000).admitted).toBe(true);
});

test('many events admitted together lengthen the window, so that the average holds', () => {
  const limit = new WindowLimit(10, 1_000);
  limit.take('a', 0);
  limit.charge('a', 49, 0);
  expect(limit.take('a', 4_999)).toEqual({ admitted: false, remaining: 0, resetsInMs: 1 });
  expect(limit.take('a', 5_000).admitted).toBe(true);
});

test('threads that share the memory admit exactly the limit together', async () => {
  const memory = limitMemory();
  const code = `
    const { parentPort, workerData } = require('node:worker_threads');
    import(workerData.from).then(({ WindowLimit }) => {
      const limit = new WindowLimit(1_000, 60_000, workerData.memory);
      let admitted = 0;
      for (let i = 0; i < 1_000; i += 1) if (limit.take('a', 1_000 + (i % 3)).admitted) admitted += 1;
      parentPort.postMessage(admitted);
    });`;
  const from = new URL('./window-limit.ts', import.meta.url).href;
  const counts = await Promise.all(
    [1, 2, 3].map(
      () =>
        new Promise<number>((resolve, reject) =>
          new Worker(code, { eval: true, workerData: { memory, from } })
            .once('message', resolve)
            .once('error', reject),
        ),
    ),
  );
  expect(counts.reduce((sum, count) => sum + count)).toBe(1_000);
});
