import { expect, test } from 'vitest';
import { mayReplace, type StoredRow, seenRow } from './log-rows.ts';

function row(firstIndex: number, hashes: string, body: string): StoredRow {
  const leafHashes = Buffer.concat([...hashes].map((letter) => Buffer.alloc(32, letter)));
  return { firstIndex, count: hashes.length, oldestMs: 1, latestMs: 2, leafHashes, body: Buffer.from(body) };
}

const BEFORE = [row(4, 'ab', 'one'), row(6, 'c', 'two')];
const SEEN = BEFORE.map(seenRow);

test('rows are cut again only if they are unchanged, and never lose, add or move a hash', () => {
  expect(mayReplace(SEEN, BEFORE, [row(4, 'a', 'x'), row(5, 'bc', 'y')])).toBe(true);
  expect(mayReplace(SEEN, [BEFORE[0]!, row(6, 'c', 'pruned')], [row(4, 'abc', 'x')])).toBe(false);
  expect(mayReplace(SEEN, [BEFORE[0]!], [row(4, 'ab', 'x')])).toBe(false);
  for (const wrong of [
    [row(4, 'ab', 'x')],
    [row(4, 'acb', 'x')],
    [row(4, 'abcd', 'x')],
    [row(5, 'abc', 'x')],
    [row(4, 'ab', 'x'), row(7, 'c', 'y')],
  ]) {
    expect(() => mayReplace(SEEN, BEFORE, wrong)).toThrow(RangeError);
  }
});
