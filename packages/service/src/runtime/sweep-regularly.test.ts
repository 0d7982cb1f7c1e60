import { HOUR_MS } from '@writecheck/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sweepRegularly } from './sweep-regularly.ts';

const BATCH = 250;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Counts the rows that are left instead of keeping them; a batch takes `batchMs`. */
function countingStore(batchMs: number) {
  const left = { rows: 0 };
  const sweep = async () => {
    await new Promise((resolve) => setTimeout(resolve, batchMs));
    const removed = Math.min(BATCH, left.rows);
    left.rows -= removed;
    return removed;
  };
  return { left, sweep };
}
const warnings: string[] = [];
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_: object, message: string) => void warnings.push(message),
  error: () => undefined,
};

test('rows that expire at 2,000 a second are gone within a quarter of a minute, minute after minute', async () => {
  const { left, sweep } = countingStore(25);
  const stop = sweepRegularly({ sweep }, log, () => 0);
  for (let second = 0; second < 600; second += 1) {
    left.rows += 2_000;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(left.rows).toBeLessThan(15 * 2_000);
  }
  stop();
});

test('after a failure it tries again, and once stopped it does nothing', async () => {
  const { left, sweep } = countingStore(1);
  let fails = true;
  const failing = async () => (fails ? Promise.reject(new Error('away')) : sweep());
  const stop = sweepRegularly({ sweep: failing }, log, () => 0);
  left.rows = 3 * BATCH;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(warnings).toHaveLength(6);
  fails = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(left.rows).toBe(0);
  stop();
  left.rows = 1;
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(left.rows).toBe(1);
});
