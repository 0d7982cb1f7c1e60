/**
 * Counts how often a timer of this process fires before a condition holds, for a service in the same process: a busy
 * machine slows down both alike.
 */
import { expect } from 'vitest';

export async function roundsUntil(everyMs: number, isSo: () => Promise<boolean>): Promise<number> {
  let rounds = 0;
  const timer = setInterval(() => {
    rounds += 1;
  }, everyMs);
  await expect.poll(isSo).toBe(true);
  clearInterval(timer);
  return rounds;
}
