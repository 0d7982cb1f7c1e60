import { DAY_MS, HOUR_MS } from '@writecheck/contract';
import { expect, test } from 'vitest';
import { bootId, DatabaseClock, MachineClock, TRUSTED_AFTER_MS } from './clock-reference.ts';
import { AHEAD_MS_MAX, BEHIND_MS_MAX, SteadyClock } from './steady-clock.ts';

const START_MS = Date.UTC(2026, 10, 16);

/** A machine whose clock and uptime the test moves. */
function machine(kept: MachineClock['anchor'] = null, clockMs = START_MS, uptimeMs = 1_000_000) {
  const now = { clockMs, uptimeMs };
  const reference = new MachineClock(clockMs, { uptime: () => now.uptimeMs, boot: 'a', kept });
  const steady = new SteadyClock(0, reference);
  return {
    reference,
    now,
    /** Both advance, as they do while the machine runs or sleeps. */
    pass(ms: number) {
      now.clockMs += ms;
      now.uptimeMs += ms;
      reference.look(now.clockMs);
    },
    kind: () => steady.at(now.clockMs).kind,
    written: () => steady.notBefore(now.clockMs),
    latest: () => steady.latest(now.clockMs),
  };
}

test('a laptop that slept for a night decides as soon as it wakes', () => {
  const laptop = machine();
  laptop.now.clockMs += 10 * HOUR_MS;
  laptop.now.uptimeMs += 10 * HOUR_MS;
  expect(laptop.kind()).toBe('now');
});

test('a clock that is set ahead decides nothing, and writes nothing with its time', () => {
  const wrong = machine();
  wrong.now.clockMs += DAY_MS;
  expect(wrong.kind()).toBe('clock_ahead');
  expect(wrong.written()).toBeLessThan(START_MS + AHEAD_MS_MAX);
  wrong.now.clockMs -= DAY_MS;
  expect(wrong.kind()).toBe('now');
});

test('a clock that stays ahead is trusted after five minutes, and not before', () => {
  const wrong = machine();
  wrong.now.clockMs += DAY_MS;
  wrong.pass(0);
  wrong.pass(TRUSTED_AFTER_MS - 1_000);
  expect(wrong.kind()).toBe('clock_ahead');
  wrong.pass(1_000);
  expect(wrong.kind()).toBe('now');
});

test('a clock that jumps again waits again', () => {
  const wrong = machine();
  wrong.now.clockMs += DAY_MS;
  wrong.pass(0);
  wrong.pass(TRUSTED_AFTER_MS - 1_000);
  wrong.now.clockMs += DAY_MS;
  wrong.pass(1_000);
  expect(wrong.kind()).toBe('clock_ahead');
});

test('a clock that is set back and then corrected does not seem to be ahead', () => {
  const wrong = machine();
  wrong.now.clockMs -= HOUR_MS;
  wrong.pass(1_000);
  wrong.now.clockMs += HOUR_MS;
  expect(wrong.kind()).toBe('now');
});

test('a clock that is set back decides nothing, and what has expired stays expired', () => {
  const wrong = machine();
  wrong.now.clockMs -= HOUR_MS;
  expect(wrong.kind()).toBe('clock_behind');
  expect(wrong.written()).toBeGreaterThanOrEqual(START_MS);
  expect(wrong.latest()).toBeGreaterThanOrEqual(START_MS);
  wrong.pass(TRUSTED_AFTER_MS - 1_000);
  expect(wrong.kind()).toBe('clock_behind');
  expect(wrong.latest()).toBeGreaterThanOrEqual(START_MS + TRUSTED_AFTER_MS - 1_000);
});

test('steps of up to a minute are accepted and add up, and setting the right time is then a jump ahead', () => {
  const wrong = machine();
  wrong.now.clockMs -= 30_000;
  wrong.pass(1_000);
  expect(wrong.kind()).toBe('now');
  wrong.now.clockMs -= 31_000;
  wrong.pass(1_000);
  expect(wrong.kind()).toBe('now');
  wrong.now.clockMs += 61_000;
  expect(wrong.kind()).toBe('clock_ahead');
  wrong.pass(0);
  wrong.pass(TRUSTED_AFTER_MS);
  expect(wrong.kind()).toBe('now');
});

test('steps back never decide with a time before the newest record, nor more than a minute behind it', () => {
  const now = { clockMs: START_MS, uptimeMs: 1_000_000 };
  const reference = new MachineClock(START_MS, { uptime: () => now.uptimeMs, boot: 'a' });
  const clock = new SteadyClock(START_MS, reference);
  const stepBack = (ms: number) => {
    now.clockMs -= ms;
    reference.look(now.clockMs);
    return clock.at(now.clockMs);
  };
  expect(stepBack(30_000)).toEqual({ kind: 'now', nowMs: START_MS });
  expect(stepBack(30_000)).toEqual({ kind: 'now', nowMs: START_MS });
  expect(stepBack(1)).toEqual({ kind: 'clock_behind', behindMs: 60_001 });
});

test('a clock that was set back for good is trusted after five minutes, so that the next jump is noticed', () => {
  const wrong = machine();
  wrong.now.clockMs -= DAY_MS;
  wrong.pass(0);
  wrong.pass(TRUSTED_AFTER_MS);
  wrong.now.clockMs += DAY_MS;
  expect(wrong.kind()).toBe('clock_ahead');
});

test('a restart does not make a clock that is ahead right, unless the machine restarted too', () => {
  const before = machine();
  before.pass(HOUR_MS);
  const { anchor } = before.reference;
  const ahead = before.now.clockMs + DAY_MS;
  expect(machine(anchor, ahead, before.now.uptimeMs + 5_000).kind()).toBe('clock_ahead');
  expect(machine(anchor, ahead, before.now.uptimeMs + DAY_MS).kind()).toBe('now');
  expect(machine({ ...anchor!, boot: 'b' }, ahead, before.now.uptimeMs + 5_000).kind()).toBe('now');
});

test('clocks that drift apart over weeks without a decision are not a jump', () => {
  const before = machine();
  const month = 30 * DAY_MS;
  const drifted = before.now.clockMs + month + 200_000;
  expect(machine(before.reference.anchor, drifted, before.now.uptimeMs + month).kind()).toBe('now');
});

test('a clock a minute ahead of the database still decides, more than that does not', () => {
  const database = new DatabaseClock(START_MS, performance.now());
  const clock = new SteadyClock(0, database);
  expect(clock.at(START_MS + AHEAD_MS_MAX - 1_000).kind).toBe('now');
  expect(clock.at(START_MS + AHEAD_MS_MAX + 1_000).kind).toBe('clock_ahead');
  database.read(START_MS + DAY_MS, performance.now());
  expect(clock.at(START_MS + DAY_MS + AHEAD_MS_MAX - 1_000).kind).toBe('now');
});

test('a clock a minute behind the database still decides, more than that does not, although no record shows it', () => {
  const clock = new SteadyClock(0, new DatabaseClock(START_MS, performance.now()));
  expect(clock.at(START_MS - BEHIND_MS_MAX + 1_000).kind).toBe('now');
  expect(clock.at(START_MS - BEHIND_MS_MAX - 1_000).kind).toBe('clock_behind');
  expect(clock.behindMs(START_MS - HOUR_MS)).toBeGreaterThanOrEqual(HOUR_MS);
  expect(clock.latest(START_MS - HOUR_MS)).toBeGreaterThanOrEqual(START_MS);
});

test.runIf(process.platform === 'linux')(
  'a boot id that a sandbox hides stays the same for the next process',
  () => {
    expect(bootId('/nowhere')).toBe('hidden');
  },
);
