import { expect, test } from 'vitest';
import { defaultWorkers } from './default-workers.ts';

test('half of the cores decide: one thread on two cores, eight at most', () => {
  const cores = [1, 2, 3, 4, 8, 16, 64];
  expect(cores.map((each) => defaultWorkers({ databaseUrl: null }, each, true))).toEqual([
    1, 1, 1, 2, 4, 8, 8,
  ]);
});

test('one thread decides on PostgreSQL, and if threads cannot share a port', () => {
  expect(defaultWorkers({ databaseUrl: 'postgres://127.0.0.1/writecheck' }, 16, true)).toBe(1);
  expect(defaultWorkers({ databaseUrl: null }, 16, false)).toBe(1);
});
