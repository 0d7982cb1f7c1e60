import { expect, test } from 'vitest';
import { exceeds, parseThreshold } from './threshold.ts';

test('a share that is met exactly is not exceeded, but one more decision exceeds it', () => {
  for (let of = 1; of <= 1_000; of += 1) {
    for (let percent = 0; percent <= 100; percent += 1) {
      const threshold = parseThreshold('--max', `${percent}%`)!;
      const most = Math.floor((percent * of) / 100);
      expect([percent, of, exceeds(most, of, threshold)]).toEqual([percent, of, false]);
      expect([percent, of, exceeds(most + 1, of, threshold)]).toEqual([percent, of, true]);
    }
  }
  expect(parseThreshold('--max', '0.7%')).toMatchObject({ max: 0.007 });
});

test('a share of nothing is 0', () => {
  expect(exceeds(0, 0, parseThreshold('--max', '0%')!)).toBe(false);
});
