import { expect, test } from 'vitest';
import { UsedUp } from './used-up.ts';

const NOVEMBER = Date.UTC(2026, 10, 15);
const DECEMBER = Date.UTC(2026, 11, 1);
function learned() {
  const usedUp = new UsedUp();
  usedUp.learn('ws_1', 'development', true, NOVEMBER, 0);
  return (workspace: string, kind: 'development' | 'live', nowMs: number, atMs: number) =>
    usedUp.has(workspace, kind, nowMs, atMs);
}

test('only the month, the workspace and the kind of key that a commit found used up are refused', () => {
  const has = learned();
  expect(has('ws_1', 'development', NOVEMBER, 1)).toBe(true);
  expect(has('ws_1', 'development', DECEMBER - 1, 1)).toBe(true);
  expect(has('ws_1', 'live', NOVEMBER, 1)).toBe(false);
  expect(has('ws_2', 'development', NOVEMBER, 1)).toBe(false);
});

test('the next month is not refused, nor is a clock that jumped to another month', () => {
  const has = learned();
  expect(has('ws_1', 'development', DECEMBER, 1)).toBe(false);
  expect(has('ws_1', 'development', Date.UTC(2026, 9, 31), 1)).toBe(false);
  expect(has('ws_1', 'development', Date.UTC(2036, 10, 15), 1)).toBe(false);
});

test('after a while one check a second asks the store again', () => {
  const has = learned();
  expect(has('ws_1', 'development', NOVEMBER, 4_999)).toBe(true);
  expect(has('ws_1', 'development', NOVEMBER, 5_000)).toBe(false);
  expect(has('ws_1', 'development', NOVEMBER, 5_999)).toBe(true);
  expect(has('ws_1', 'development', NOVEMBER, 6_000)).toBe(false);
});

test('a commit that finds something left ends the refusals', () => {
  const usedUp = new UsedUp();
  usedUp.learn('ws_1', 'development', true, NOVEMBER, 0);
  usedUp.learn('ws_1', 'development', false, NOVEMBER, 1);
  expect(usedUp.has('ws_1', 'development', NOVEMBER, 2)).toBe(false);
});

test('many workspaces do not fill the memory', () => {
  const usedUp = new UsedUp();
  for (let i = 0; i <= 20_000; i += 1) usedUp.learn(`ws_${i}`, 'development', true, NOVEMBER, 0);
  expect(usedUp.has('ws_0', 'development', NOVEMBER, 1)).toBe(false);
  expect(usedUp.has('ws_20000', 'development', NOVEMBER, 1)).toBe(true);
});
