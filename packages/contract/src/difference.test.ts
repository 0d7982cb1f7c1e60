import { expect, test } from 'vitest';
import { fc } from '../../../scripts/fast-check.ts';
import { difference } from './difference.ts';

test('a difference restores both lists, and keeps the longest part that they share', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const steps = difference(before, after);
      const without = (gone: string) => steps.filter(({ kind }) => kind !== gone).map(({ text }) => text);
      expect(without('added')).toEqual(before);
      expect(without('removed')).toEqual(after);
      expect(steps.filter(({ kind }) => kind === 'same')).toHaveLength(longest(before, after));
    }),
  );
});

function longest([one, ...ones]: readonly string[], all: readonly string[]): number {
  if (one === undefined || all.length === 0) return 0;
  const at = all.indexOf(one);
  const without = longest(ones, all);
  return at === -1 ? without : Math.max(without, 1 + longest(ones, all.slice(at + 1)));
}

test('lists too large for the table are restored too', () => {
  const [before, after] = [2, 3].map((step) => Array.from({ length: 2_100 }, (_, i) => `${i * step}`));
  const steps = difference(before!, after!);
  expect(steps.filter(({ kind }) => kind !== 'added').map(({ text }) => text)).toEqual(before);
  expect(steps.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)).toEqual(after);
});
