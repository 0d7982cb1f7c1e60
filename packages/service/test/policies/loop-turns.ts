/**
 * Measures how long one turn of the event loop kept the processor, and so how long all others waited, whatever else the
 * machine does.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Turns {
  readonly longestMs: number;
  readonly totalMs: number;
}

/** Processor time of this thread, so that neither other processes nor waiting counts. */
export async function measureTurns(work: () => Promise<unknown>): Promise<Turns> {
  let isOver = false;
  const done = work().finally(() => {
    isOver = true;
  });
  let longestMs = 0;
  const startedMs = threadMs();
  let beforeMs = startedMs;
  while (!isOver) {
    await nextTurn();
    const nowMs = threadMs();
    longestMs = Math.max(longestMs, nowMs - beforeMs);
    beforeMs = nowMs;
  }
  await done;
  return { longestMs, totalMs: threadMs() - startedMs };
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

export function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
