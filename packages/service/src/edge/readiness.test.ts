import { expect, test, vi } from 'vitest';
import { readinessOf } from './readiness.ts';

function looking(health: () => Promise<{ kind: 'ok' }>) {
  return readinessOf({
    store: { health },
    clock: { at: (nowMs: number) => ({ kind: 'now' as const, nowMs }) },
    commits: { isFailing: () => false },
    isForked: () => false,
    isServing: () => true,
  });
}

test('a store that does not respond is not ready, and is probed once for any number of requests', async () => {
  vi.useFakeTimers();
  try {
    const health = vi.fn(() => new Promise<{ kind: 'ok' }>(() => undefined));
    const readiness = looking(health);
    const asked = [readiness(0)];
    await vi.advanceTimersByTimeAsync(1_000);
    asked.push(readiness(0), readiness(0));
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(['unready', 'unready', 'unready']);
    expect(health).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});

test('a store that was stuck is ready again once it responds', async () => {
  vi.useFakeTimers();
  try {
    const stuck = Promise.withResolvers<{ kind: 'ok' }>();
    const health = vi.fn(async () => ({ kind: 'ok' as const })).mockReturnValueOnce(stuck.promise);
    const readiness = looking(health);
    const first = readiness(0);
    await vi.advanceTimersByTimeAsync(2_000);
    expect((await first).kind).toBe('unready');
    stuck.resolve({ kind: 'ok' });
    await vi.advanceTimersByTimeAsync(0);
    expect((await readiness(0)).kind).toBe('ready');
    expect(health).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

test('a probe that throws is not ready, and does not stop the next one', async () => {
  vi.useFakeTimers();
  try {
    const health = vi.fn(async () => ({ kind: 'ok' as const })).mockRejectedValueOnce(new Error('no'));
    const readiness = looking(health);
    expect((await readiness(0)).kind).toBe('unready');
    await vi.advanceTimersByTimeAsync(300);
    expect((await readiness(0)).kind).toBe('ready');
  } finally {
    vi.useRealTimers();
  }
});

test('a store that responds is ready, and probed at most a few times a second', async () => {
  const health = vi.fn(async () => ({ kind: 'ok' as const }));
  const readiness = looking(health);
  expect((await readiness(0)).kind).toBe('ready');
  expect((await readiness(0)).kind).toBe('ready');
  expect(health).toHaveBeenCalledTimes(1);
});
