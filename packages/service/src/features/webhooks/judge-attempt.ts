/** What follows from an attempt: the delivery succeeds, is retried or fails, and its webhook may be disabled. */
import type { DeliveryResult, StoredDelivery } from '@writecheck/store/port/webhooks';
import { nextAttemptAt } from './schedule.ts';
import type { Attempt } from './send.ts';

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
