import { expect, test } from 'vitest';
import { isoTime } from './iso-time.ts';

test('a time has one text form, whatever the cache holds', () => {
  for (let round = 0; round < 2; round += 1) {
    for (let ms = 0; ms < 200; ms += 1) {
      const at = 1_800_000_000_000 + ms * 7;
      expect(isoTime(at)).toBe(new Date(at).toISOString());
    }
  }
});

test('an invalid time throws every time, and does not affect others', () => {
  const at = 1_800_000_000_000;
  for (const wrong of [Number.NaN, 8.64e15 + 1, Number.POSITIVE_INFINITY]) {
    for (let i = 0; i < 3; i += 1) expect(() => isoTime(wrong)).toThrow(RangeError);
    expect(isoTime(at)).toBe(new Date(at).toISOString());
  }
});
