import { expect, test } from 'vitest';
import { type LastUses, type Uses, writeUses } from './last-uses.ts';

test('a use during a write is written with the next one, after those that have waited longer', async () => {
  const written: Uses[] = [];
  const uses: LastUses = new Map([
    ['a', 1],
    ['b', 2],
  ]);
  const fail = () => Promise.reject(new Error('no'));
  await expect(writeUses(uses, fail, 100)).rejects.toThrow('no');
  expect(uses.get('a')).toBe(1);
  const write = async (some: Uses) => {
    written.push(some);
    if (written.length === 1) uses.set('a', 5);
  };
  await writeUses(uses, write, 100, 1);
  expect([...uses]).toEqual([
    ['b', 2],
    ['a', 5],
  ]);
  await writeUses(uses, write, 100, 1);
  // Another replica would trust a time that is ahead.
  await writeUses(uses, write, 3, 1);
  await writeUses(uses, write, 3, 1);
  expect(written).toEqual([[['a', 1]], [['b', 2]], [['a', 3]]]);
  expect(uses.size).toBe(0);
});
