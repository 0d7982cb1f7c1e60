/** When a delivery is tried again, and when it is given up. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const RETRY_AFTER_MS: readonly number[] = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** The first attempt and its retries. */
export const ATTEMPTS_MAX = RETRY_AFTER_MS.length + 1;

/** An event that is this old before its first attempt is dropped: nobody would act on it any more. */
export const DROP_AFTER_MS = 75 * HOUR_MS;

/** After a rotation, the previous secret also signs for this long. */
export const BOTH_SIGN_MS = DAY_MS;

const JITTER = 0.1;

/**
 * Null after the last attempt. `Retry-After` may postpone an attempt, by a day at most: an endpoint cannot keep a
 * delivery forever. `random` is from 0 to 1.
 */
export function nextAttemptAt(
  attempts: number,
  retryAfterMs: number | null,
  nowMs: number,
  random: number,
): number | null {
  const waitMs = RETRY_AFTER_MS[attempts - 1];
  if (waitMs === undefined) return null;
  const jitteredMs = Math.round(waitMs * (1 + JITTER * random));
  return nowMs + Math.max(jitteredMs, Math.min(retryAfterMs ?? 0, DAY_MS));
}
