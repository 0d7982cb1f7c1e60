import { expect, test } from 'vitest';
import { CellCounts, DistinctCount } from './distinct-count.ts';
import { hashedText } from './hashed.ts';

test('a count is exact, however often something is repeated', () => {
  const count = new DistinctCount({ isOver: false });
  for (let i = 0; i < 30_000; i += 1) count.add(hashedText(`thing ${i % 10_007}`));
  expect(count.count).toBe(10_007);
});

test('each digest counts once in every cell it falls into', () => {
  const exactness = { isOver: false };
  const cells = new CellCounts(3, exactness);
  for (let i = 0; i < 1_000; i += 1) {
    cells.add(hashedText(`digest ${i}`), 0b001);
    if (i % 2 === 0) cells.add(hashedText(`digest ${i}`), 0b100);
    cells.add(hashedText(`digest ${i}`), 0b001);
  }
  expect([0, 1, 2].map((cell) => cells.count(cell))).toEqual([1_000, 0, 500]);
  expect(exactness.isOver).toBe(false);
});

test.each([5_000, 60_000, 150_000, 400_000])('an estimate of %i is within 2 %%', (size) => {
  const exactness = { isOver: false };
  const cells = new CellCounts(2, exactness, 1_000);
  const large = new DistinctCount(exactness);
  const small = new DistinctCount(exactness);
  for (let i = 0; i < size; i += 1) {
    const hashed = hashedText(`digest ${i}`);
    cells.add(hashed, i % 3 === 0 ? 0b11 : 0b01);
    large.add(hashed);
    if (i < 100) small.add(hashed);
  }
  expect(exactness.isOver).toBe(true);
  const third = Math.ceil(size / 3);
  expect(Math.abs(cells.count(0) / size - 1)).toBeLessThan(0.02);
  expect(Math.abs(cells.count(1) / third - 1)).toBeLessThan(0.02);
  expect(Math.abs(large.count / size - 1)).toBeLessThan(0.02);
  // A small count stays exact.
  expect(small.count).toBe(100);
});
