/** Keeps a background thread from delaying checks: a low priority, and rests while others need the processor. */
import { readFileSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** Lowers the priority of the thread that calls it, so that a check never waits for its turn on the processor. */
export function lowerPriority(niceness: number): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness);
  } catch {
    // Only Linux gives each thread its own priority.
  }
}

/** How long a thread has run, and how long it was ready to run and waited for a processor. */
interface ThreadTimes {
  readonly ranMs: number;
  readonly waitedMs: number;
}

/** A thread that waits for this share of its running time shares its processor. */
const CROWDED_SHARE = 0.25;
/** A resting thread runs a tenth of the time. */
const REST_TIMES = 9;
const REST_MS_MAX = 1_000;
/** A short job ends sooner than its rest would. */
const RUN_MS_MIN = 100;
const NS_A_MS = 1_000_000;

/** How long to rest after running between these two moments; null if it is too early to tell. */
export function restMs(before: ThreadTimes, after: ThreadTimes): number | null {
  const ranMs = after.ranMs - before.ranMs;
  const waitedMs = after.waitedMs - before.waitedMs;
  if (ranMs < RUN_MS_MIN) return null;
  return waitedMs <= ranMs * CROWDED_SHARE ? 0 : Math.min(ranMs * REST_TIMES, REST_MS_MAX);
}

/**
 * Returns a function that rests if others need the processor. A low priority alone is not enough: whenever a check
 * waits for the disk, the thread takes the processor, its caches, and V8's helper threads, which have no priority of
 * their own. That costs an eighth of the checks (`npm run bench -- impact`).
 */
export function restingWhenCrowded(): () => Promise<void> {
  let before = threadTimes();
  return async () => {
    const after = threadTimes();
    const ms = restMs(before, after);
    if (ms === null) return;
    before = after;
    if (ms > 0) await pause(ms);
  };
}

function threadTimes(): ThreadTimes {
  try {
    const [ranNs, waitedNs] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ').map(Number);
    return { ranMs: ranNs! / NS_A_MS, waitedMs: waitedNs! / NS_A_MS };
  } catch {
    // Only Linux reports these times.
    return { ranMs: 0, waitedMs: 0 };
  }
}
