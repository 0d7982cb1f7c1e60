import { StoreUnavailable } from '@writecheck/store/port';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { causeOf, stackOf } from './described-error.ts';
import { createLog } from './log.ts';
import { sampledLog } from './sampled-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function loggedBy() {
  const lines: { readonly [field: string]: unknown }[] = [];
  const log = sampledLog(createLog('info', (line) => void lines.push(JSON.parse(line))));
  return { lines, log };
}

test('an outage of a minute is a few lines with counts, and its cause is there once', () => {
  const { lines, log } = loggedBy();
  for (let i = 0; i < 60_000; i += 20) {
    log.warn({ why: 'io', error: 'unreachable', cause: 'ECONNREFUSED', requestId: `r${i}` }, 'no store');
    vi.advanceTimersByTime(20);
  }
  log.stop();
  expect(lines.length).toBeLessThanOrEqual(7);
  expect(lines.filter(({ cause }) => cause === 'ECONNREFUSED')).toHaveLength(1);
  expect(lines[0]).toMatchObject({ requestId: 'r0', msg: 'no store' });
  const counted = lines.slice(1).reduce((sum, { times }) => sum + (times as number), 0);
  expect(counted).toBe(60_000 / 20 - 1);
});

test('another cause is logged immediately, and an error that recurs later counts as new', () => {
  const { lines, log } = loggedBy();
  log.error({ why: 'io', error: 'unreachable' }, 'no store');
  log.error({ why: 'unknown', error: 'a failure', cause: 'prepared statement' }, 'no store');
  expect(lines).toHaveLength(2);
  vi.advanceTimersByTime(10_000);
  log.error({ why: 'io', error: 'unreachable' }, 'no store');
  expect(lines).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(10_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('errors that are all different do not flood the log either', () => {
  const { lines, log } = loggedBy();
  for (let i = 0; i < 1_000; i += 1) log.warn({ error: `at byte ${i}` }, 'no store');
  expect(lines).toHaveLength(33);
});

test('the causes of an error are one text', () => {
  const failure = new StoreUnavailable('io', 'the database cannot be reached');
  expect(causeOf(failure)).toBeUndefined();
  failure.cause = new Error('outer', { cause: 'inner' });
  expect(causeOf(failure)).toBe('outer: inner');
});

test('an internal error in the store says where it was thrown, an outage does not', () => {
  const cause = new TypeError('undefined is not a number');
  expect(stackOf(new StoreUnavailable('unknown', 'the store failed', cause))).toBe(cause.stack);
  expect(stackOf(new StoreUnavailable('io', 'the disk is gone', cause))).toBeUndefined();
});
