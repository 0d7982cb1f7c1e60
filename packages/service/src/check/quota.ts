/**
 * The monthly allowance as callers see it: headers on every check with a limit, and the refusal when it is used up.
 */
import { calendarMonth, DAY_MS } from '@writecheck/contract';
import type { CheckingKeyKind } from '@writecheck/store/port';
import { STORED_ENOUGH } from '@writecheck/store/port/acting';
import type { Answer } from '../exchange/answer.ts';
import { type Refusal, refuseFor } from '../exchange/refusal.ts';

export function quotaHeaders(
  kind: CheckingKeyKind,
  limit: number,
  used: number,
  nowMs: number,
): Answer['headers'] {
  const { startsAtMs, endsAtMs } = calendarMonth(nowMs);
  const windowSeconds = Math.round((endsAtMs - startsAtMs) / 1_000);
  const leftSeconds = Math.ceil((endsAtMs - nowMs) / 1_000);
  return {
    'ratelimit-policy': `"${kind}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${kind}";r=${Math.max(0, limit - used)};t=${leftSeconds}`,
  };
}

/** A workspace that signed itself up has stored what it may store on this day. */
export function storedEnough(nowMs: number): readonly [Refusal, Answer['headers']] {
  const endsInMs = DAY_MS - (nowMs % DAY_MS);
  return [
    refuseFor(endsInMs, 'quota_exceeded', STORED_ENOUGH),
    { ratelimit: `"bytes";r=0;t=${Math.ceil(endsInMs / 1_000)}` },
  ];
}

export function quotaRefusal(kind: CheckingKeyKind, limit: number, nowMs: number): Refusal {
  const { period, endsAtMs } = calendarMonth(nowMs);
  const message =
    `the ${limit} ${kind} checks of ${period} are used up; ` +
    'wait for the first of next month, or use a live key';
  return refuseFor(endsAtMs - nowMs, 'quota_exceeded', message);
}
