/** Paces the thread that fills the search index, so that commits do not wait for it. */

/** Under load the index takes a fifth of its thread's time; beyond this many records behind, it takes all of it. */
const REST_FACTOR = 4;
const BEHIND_MAX = 200_000;
/** So few records wait for others: a step costs the same for one record as for a hundred. */
const FEW = 1_000;
export const AFTER_FAULT_MS = 1_000;

export function restAfter(behind: number, stepMs: number, idleMs: number): number {
  if (behind > BEHIND_MAX) return 0;
  return behind > FEW ? Math.ceil(stepMs * REST_FACTOR) : idleMs;
}
