import { expect, test } from 'vitest';
import { DistinctCount, Exactness, hashOf } from './distinct-count.ts';

test('a count is exact, however often something is repeated', () => {
  const count = new DistinctCount(new Exactness());
  for (let i = 0; i < 30_000; i += 1) count.add(hashOf(`thing ${i % 10_007}`));
  expect(count.count).toBe(10_007);
});

test('a run is exact for as many digests as it may count exactly, and then no longer', () => {
  const exactness = new Exactness(1_000);
  for (let i = 0; i < 2_000; i += 1) exactness.note(hashOf(`digest ${i % 1_000}`));
  expect(exactness.isOver).toBe(false);
  exactness.note(hashOf('one more'));
  expect(exactness.isOver).toBe(true);
});

test.each([5_000, 60_000, 150_000, 400_000])('an estimate of %i is within 2 %%', (size) => {
  const exactness = new Exactness(1_000);
  const large = new DistinctCount(exactness);
  const third = new DistinctCount(exactness);
  const small = new DistinctCount(exactness);
  for (let i = 0; i < size; i += 1) {
    const hashed = hashOf(`digest ${i}`);
    exactness.note(hashed);
    large.add(hashed);
    if (i % 3 === 0) third.add(hashed);
    if (i < 100) small.add(hashed);
  }
  expect(exactness.isOver).toBe(true);
  expect(Math.abs(large.count / size - 1)).toBeLessThan(0.02);
  expect(Math.abs(third.count / Math.ceil(size / 3) - 1)).toBeLessThan(0.02);
  // A small count stays exact.
  expect(small.count).toBe(100);
});
