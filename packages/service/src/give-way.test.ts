import { expect, test } from 'vitest';
import { restMs } from './give-way.ts';

const START = { ranMs: 1_000, waitedMs: 400 };

function after(ranMs: number, waitedMs: number) {
  return { ranMs: START.ranMs + ranMs, waitedMs: START.waitedMs + waitedMs };
}

test('a thread with a processor to itself never rests', () => {
  expect(restMs(START, after(10, 0))).toBe(0);
  expect(restMs(START, after(10, 2.5))).toBe(0);
});

test('a thread that waited for others then runs a tenth of the time', () => {
  expect(restMs(START, after(10, 2.6))).toBe(90);
  expect(restMs(START, after(10, 500))).toBe(90);
});

test('a rest ends, however long the thread ran', () => {
  expect(restMs(START, after(10_000, 10_000))).toBe(1_000);
});

test('a system that tells no times never makes a thread rest', () => {
  const nothing = { ranMs: 0, waitedMs: 0 };
  expect(restMs(nothing, nothing)).toBe(0);
});
