import { expect, test } from 'vitest';
import { usefulWorkers } from './useful-workers.ts';

const unset = { workers: null, databaseUrl: null };

test.each([
  [1, 1],
  [2, 1],
  [3, 1],
  [4, 2],
  [8, 4],
  [16, 8],
  [64, 8],
])('a machine with %d cores has use for %d workers', (cores, workers) => {
  expect(usefulWorkers(unset, cores, true)).toBe(workers);
});

test('what is set holds, with PostgreSQL there is one, and so there is where threads cannot share a port', () => {
  expect(usefulWorkers({ ...unset, workers: 3 }, 2, true)).toBe(3);
  expect(usefulWorkers({ ...unset, databaseUrl: 'postgres://db' }, 16, true)).toBe(1);
  expect(usefulWorkers({ ...unset, workers: 3 }, 16, false)).toBe(1);
});
