import { expect, test } from 'vitest';
import { restMs } from './low-priority.ts';

const START = { ranMs: 1_000, waitedMs: 400 };

function after(ranMs: number, waitedMs: number) {
  return { ranMs: START.ranMs + ranMs, waitedMs: START.waitedMs + waitedMs };
}

test('a thread with its own processor never rests', () => {
  expect(restMs(START, after(100, 0))).toBe(0);
  expect(restMs(START, after(100, 25))).toBe(0);
});

test('a thread that waited for others then runs a tenth of the time', () => {
  expect(restMs(START, after(100, 26))).toBe(900);
  expect(restMs(START, after(110, 500))).toBe(990);
});

test('a short job does not rest', () => {
  expect(restMs(START, after(99, 500))).toBeNull();
});

test('a rest ends, however long the thread ran', () => {
  expect(restMs(START, after(10_000, 10_000))).toBe(1_000);
});

test('a system without thread times never makes a thread rest', () => {
  const nothing = { ranMs: 0, waitedMs: 0 };
  expect(restMs(nothing, nothing)).toBeNull();
});
