/** Decides when a delivery is tried again, and when the service gives up and disables the webhook. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@writecheck/contract';
import type { DeliveryResult, StoredDelivery } from '@writecheck/store/port/webhooks';
import type { Attempt } from './send.ts';

const RETRY_AFTER_MS: readonly number[] = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  DAY_MS,
];

/** The first attempt and its retries. */
export const ATTEMPTS_MAX = RETRY_AFTER_MS.length + 1;

/** An event that is this old before its first attempt is dropped: nobody would act on it any more. */
export const DROP_AFTER_MS = 75 * HOUR_MS;

/** The previous secret also signs for this long after a rotation. */
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

const GONE = 410;

export function resultOf(
  { webhook, id, attempts: before }: StoredDelivery,
  { isDelivered, status, retryAfterMs }: Attempt,
  nowMs: number,
  random: number,
): DeliveryResult {
  const attempts = before + 1;
  const common = { webhook, id, attempts, status };
  if (isDelivered) return { ...common, state: 'delivered', nextAtMs: null };
  if (status === GONE) return { ...common, state: 'failed', nextAtMs: null, disables: 'gone' };
  const nextAtMs = nextAttemptAt(attempts, retryAfterMs, nowMs, random);
  if (nextAtMs === null) return { ...common, state: 'failed', nextAtMs: null, disables: 'failing' };
  return { ...common, state: 'waiting', nextAtMs };
}
