import { expect, test } from 'vitest';
import { QUEUE_LIMITS } from './check-queue.ts';
import { type Turn, Turns } from './turns.ts';

/** Longer than a turn. */
function decideSlowly(): void {
  const endMs = performance.now() + 3 * QUEUE_LIMITS.turnMs;
  while (performance.now() < endMs);
}

const taken = (turns: Turns, workspace: string) =>
  new Promise<Turn>((resolve) => turns.take(workspace, 100, (turn) => resolve(turn!)));

test('a check that awaited something takes its turn again, so a neighbour waits for one decision and not for all', async () => {
  const turns = new Turns();
  const waiting = Promise.withResolvers<void>();
  const seen: string[] = [];
  const all = Array.from({ length: 20 }, async (_, at) => {
    const turn = await taken(turns, 'a');
    // A policy that several checks wait for is there for all of them at the same moment.
    await waiting.promise;
    expect(turn.isRunning).toBe(false);
    expect(await turn.again(decideSlowly)).toBeUndefined();
    seen.push(`a ${at}`);
    turn.end();
  });
  await new Promise(setImmediate);
  waiting.resolve();
  await new Promise(setImmediate);
  turns.take('b', 100, (turn) => {
    seen.push('b');
    turn!.end();
  });
  await Promise.all(all);
  expect(seen).toHaveLength(21);
  expect(seen.indexOf('b')).toBeLessThan(8);
  expect(turns.depth).toBe(0);
});

test('a decision that fails after an `await` is charged, and gives its place back', async () => {
  const turns = new Turns();
  const turn = await taken(turns, 'a');
  await Promise.resolve();
  const failing = turn.again(() => {
    decideSlowly();
    throw new Error('no');
  });
  // It ran at once, and what it took is counted: the next one waits.
  let started = false;
  turns.take('a', 100, (next) => {
    started = true;
    next!.end();
  });
  expect(started).toBe(false);
  await expect(failing).rejects.toThrow('no');
  turn.end();
  await new Promise(setImmediate);
  expect([started, turns.depth]).toEqual([true, 0]);
});

test('a run that ends at once with an error is charged like any other', async () => {
  const turns = new Turns();
  turns.take('a', 100, (turn) => {
    decideSlowly();
    turn!.end();
  });
  let started = false;
  turns.take('a', 100, (turn) => {
    started = true;
    turn!.end();
  });
  expect(started).toBe(false);
  await new Promise(setImmediate);
  expect(started).toBe(true);
});
