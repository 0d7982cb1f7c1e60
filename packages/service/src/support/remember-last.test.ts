import { expect, test } from 'vitest';
import { rememberLast } from './remember-last.ts';

test('a repeated input gives the same result without another call', () => {
  const made: unknown[] = [];
  const textOf = rememberLast((input: unknown) => {
    made.push(input);
    return { of: input };
  });
  expect(textOf(undefined)).toEqual({ of: undefined });
  expect(textOf(1)).toBe(textOf(1));
  expect(textOf(2)).toEqual({ of: 2 });
  expect(textOf(1)).toEqual({ of: 1 });
  expect(made).toEqual([undefined, 1, 2, 1]);
});

test('an input whose call throws is not remembered', () => {
  let isBroken = false;
  const double = rememberLast((input: number) => {
    if (isBroken) throw new Error('broken');
    return input * 2;
  });
  expect(double(1)).toBe(2);
  isBroken = true;
  expect(() => double(2)).toThrow('broken');
  expect(() => double(2)).toThrow('broken');
  expect(double(1)).toBe(2);
});
