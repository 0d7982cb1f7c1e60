/**
 * Fills the index up to what a caller must see, a step at a time, so that the thread's other work continues
 * between steps.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long a list or a count waits; an index that is further behind would take minutes. */
export const CATCH_UP_MS_MAX = 2_000;

/** False if it took too long. `step` returns whether it found anything to do. */
export async function catchUpWithin(
  withinMs: number,
  step: () => boolean | Promise<boolean>,
  isReached: () => boolean,
  nowMs: () => number = () => performance.now(),
): Promise<boolean> {
  const untilMs = nowMs() + withinMs;
  while (!isReached() && (await step())) {
    if (nowMs() > untilMs) return isReached();
    await nextTurn();
  }
  return true;
}
