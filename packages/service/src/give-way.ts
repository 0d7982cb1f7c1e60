/** Lowers the priority of the thread that calls it, so that a check never waits for its turn on the processor. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

export function giveWay(niceness: number): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness);
  } catch {
    // Only Linux gives each thread its own priority.
  }
}
