/** Paces the thread that fills the search index, so that commits do not wait for it. */

/** Under load the index takes a fifth of its thread's time; if it is further behind than `BEHIND_MAX`, all of it. */
const REST_FACTOR = 4;
const BEHIND_MAX = 200_000;
/** A step costs the same for one record as for a hundred, so this few records wait for others. */
const FEW = 1_000;
const AFTER_FAULT_MS = 1_000;

export function restAfter(behind: number, stepMs: number, idleMs: number): number {
  if (behind > BEHIND_MAX) return 0;
  return behind > FEW ? Math.ceil(stepMs * REST_FACTOR) : idleMs;
}

/** Repeats a step; each returns how long to rest after it. Returns a function that stops it. */
export function repeat(step: () => Promise<number>): () => void {
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const tick = async (): Promise<void> => {
    // A caller that reads damaged data gets the error; here it only causes a retry.
    const restMs = await step().catch(() => AFTER_FAULT_MS);
    if (!isStopped) timer = setTimeout(tick, restMs);
  };
  void tick();
  return () => {
    isStopped = true;
    if (timer !== null) clearTimeout(timer);
  };
}
