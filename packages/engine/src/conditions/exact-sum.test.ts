import { expect, test } from 'vitest';
import { exactSum } from './exact-sum.ts';

test.each([
  [[], 0],
  [Array(10).fill(0.1), 1],
  [[0.1, 0.2], 0.3],
  [[1, 0.1, 0.01], 1.11],
  [[0.01, 0.1, 1], 1.11],
  [[0.001, 1, 0.01, -0.5], 0.511],
  [[1e22, 0.5, -1e22], 0.5],
  [[1e-7, 2e-7], 3e-7],
  [[1.5e-7, 1], 1.00000015],
  [[1.5e21, 1.5e21], 3e21],
  [[-1.25, 1.25], 0],
  // One more than the largest integer that doubles can represent exactly, rounded once at the end.
  [[2 ** 53, 1, 1], 2 ** 53 + 2],
  [[1e308, 1e308, -1e308], 1e308],
])('%j adds up to %j', (numbers, expected) => {
  expect(exactSum(numbers as readonly number[])).toBe(expected);
});
