/** The range of an impact run: from one moment up to, but not including, another. */
import { DAY_MS } from '@writecheck/contract';
import { type Refusal, refuseAt } from '../../exchange/refusal.ts';

const DEFAULT_RANGE_MS = 7 * DAY_MS;
/** A date-time with an offset may lie outside of the years that one in UTC can name; no record does. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export interface Range {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
}

export function rangeOf(
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
  callMs: number,
): Range | Refusal {
  const toMs = writable(to ?? callMs);
  const fromMs = writable(from ?? toMs - DEFAULT_RANGE_MS);
  if (fromMs < toMs) return { fromMs, toMs };
  return refuseAt('/from', '`from` must be before `to`, which is the moment of the call unless given');
}

function writable(ms: number): number {
  return Math.min(Math.max(ms, FIRST_MS), LAST_MS);
}
