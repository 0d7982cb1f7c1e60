import { expect, test } from 'vitest';
import { holdsAnyOf } from './kept-decisions.ts';

const ID = `dec_${'1'.repeat(32)}`;
const OTHER = `dec_${'2'.repeat(32)}`;
const batch = Buffer.from(`{"results":[{"decision_id":"${OTHER}"},{"decision_id":"${ID}","ü":1}]}`);

test('a kept answer is found by any of its decisions, and by no other', () => {
  expect(holdsAnyOf(batch, new Set([ID]))).toBe(true);
  expect(holdsAnyOf(batch, new Set([OTHER]))).toBe(true);
  expect(holdsAnyOf(batch, new Set([`dec_${'3'.repeat(32)}`]))).toBe(false);
  expect(holdsAnyOf(Buffer.alloc(0), new Set([ID]))).toBe(false);
});
