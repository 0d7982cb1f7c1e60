import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

test('an owner with one job waits for one job of each other owner, however many they have', async () => {
  const queue = new FairQueue();
  const done: string[] = [];
  let running = 0;
  const job = (name: string) => async () => {
    running += 1;
    expect(running).toBe(1);
    await sleep(1);
    running -= 1;
    done.push(name);
    return name;
  };
  const jobs = [
    ...['a1', 'a2', 'a3', 'a4'].map((name) => queue.run('a', job(name))),
    ...['b1', 'b2'].map((name) => queue.run('b', job(name))),
    queue.run('c', job('c1')),
  ];
  expect(await Promise.all(jobs)).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
  expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
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
