import { HOUR_MS } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

/** A queue whose clock counts the work that its jobs say they do. */
function counted() {
  let nowMs = 0;
  const queue = new FairQueue(() => nowMs);
  const done: string[] = [];
  let running = 0;
  const ask = (owner: string, name: string, workMs: number, costMs = workMs) =>
    queue.run(
      owner,
      async () => {
        running += 1;
        expect(running).toBe(1);
        await Promise.resolve();
        running -= 1;
        nowMs += workMs;
        done.push(name);
      },
      costMs,
    );
  return { done, ask, spentMs: () => nowMs };
}

test('an owner with one job waits for one job of each other owner, however many they have', async () => {
  const { done, ask } = counted();
  await Promise.all([
    ...['a1', 'a2', 'a3', 'a4'].map((name) => ask('a', name, 100)),
    ...['b1', 'b2'].map((name) => ask('b', name, 100)),
    ask('c', 'c1', 100),
  ]);
  expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('owners who ask for large jobs all the time delay a small one by the job that is running, and no other', async () => {
  const { done, ask, spentMs } = counted();
  let isOver = false;
  const greedy = async (owner: string) => {
    while (!isOver) await ask(owner, owner, 600);
  };
  const loops = Array.from({ length: 12 }, (_, index) => greedy(`greedy ${index}`));
  for (let round = 0; round < 20; round += 1) {
    while (done.length < 13 * (round + 1)) await Promise.resolve();
    const askedMs = spentMs();
    await ask('modest', 'examine', 5);
    await ask('modest', 'compare', 5);
    expect(spentMs() - askedMs).toBeLessThanOrEqual(2 * 600 + 10);
  }
  isOver = true;
  await Promise.all(loops);
});

test('of owners who have used nothing, the one with the smallest job is next', async () => {
  const { done, ask } = counted();
  const large = ['a', 'b', 'c'].map((owner) => ask(owner, owner, 600));
  await Promise.all([...large, ask('modest', 'small', 5), ask('modest', 'small too', 5)]);
  expect(done).toEqual(['a', 'small', 'small too', 'b', 'c']);
});

test('a large job is done once every owner of small ones has used as much, so nobody waits forever', async () => {
  const { done, ask } = counted();
  let isDone = false;
  const busy = async (owner: string) => {
    while (!isDone) await ask(owner, owner, 10);
  };
  const loops = Array.from({ length: 20 }, (_, index) => busy(`busy ${index}`));
  await ask('modest', 'large', 600);
  isDone = true;
  await Promise.all(loops);
  expect(done.indexOf('large')).toBeLessThanOrEqual(20 * (600 / 10 + 1));
});

test('what an owner used before much other work does not count', async () => {
  const { done, ask } = counted();
  await ask('a', 'earlier', 600);
  await ask('c', 'much', 7 * HOUR_MS);
  await Promise.all([ask('b', 'b1', 5), ask('a', 'a1', 5), ask('b', 'b2', 5)]);
  expect(done).toEqual(['earlier', 'much', 'b1', 'a1', 'b2']);
});

test('a job that throws before its promise fails only for its owner too', async () => {
  const queue = new FairQueue();
  const failing = queue.run('a', () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await queue.run('b', async () => 2)).toBe(2);
});

test('a job that fails fails only for its owner, and the next one runs', async () => {
  const queue = new FairQueue();
  const failing = queue.run('a', () => Promise.reject(new Error('no')));
  const next = queue.run('a', async () => 1);
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe(1);
  expect(await queue.run('b', async () => 2)).toBe(2);
});
