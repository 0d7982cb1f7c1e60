/** The range of an impact run: from one moment up to, but not including, another. */
import { DAY_MS, parseInstant } from '@writecheck/contract';
import { type Refusal, refuseAt } from '../../exchange/refusal.ts';

const DEFAULT_RANGE_MS = 30 * DAY_MS;
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export interface Range {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

/** `sent` is the body before its moments were rounded to milliseconds. */
export function rangeOf(
  asked: { readonly from?: number | undefined; readonly to?: number | undefined },
  sent: unknown,
  callMs: number,
): Range | Refusal {
  const toMs = writable(asked.to ?? callMs);
  const fromMs = writable(asked.from ?? toMs - DEFAULT_RANGE_MS);
  if (fromMs < toMs || isFinerRange(sent as { readonly from?: unknown; readonly to?: unknown }))
    return { fromMs, toMs };
  return refuseAt('/from', '`from` must be before `to`, which is the moment of the call unless given');
}

/** A date-time with an offset may lie outside of the years that one in UTC can name; no record does. */
function writable(ms: number): number {
  return Math.min(Math.max(ms, FIRST_MS), LAST_MS);
}

/** A range of less than a millisecond may hold no record, but it is a range. */
function isFinerRange({ from, to }: { readonly from?: unknown; readonly to?: unknown }): boolean {
  const start = typeof from === 'string' ? parseInstant(from) : null;
  const end = typeof to === 'string' ? parseInstant(to) : null;
  if (start === null || end === null) return false;
  return start.ms < end.ms || (start.ms === end.ms && start.fraction < end.fraction);
}
