/** Limits on how often somebody may call, each counted separately. */
import { HOUR_MS, MINUTE_MS } from '@writecheck/contract';
import type { RateLimits } from '../check/check-rates.ts';
import type { Config } from '../support/config/settings.ts';
import { limitMemory, WindowLimit } from '../support/window-limit.ts';

const FAILURES_A_MINUTE = 120;
/** Sign-in requests from one address; each sign-in takes two. */
const SIGN_INS_A_MINUTE = 600;
const SECOND_MS = 1_000;

export interface RequestLimits extends RateLimits {
  /** Requests from one address with an invalid key. */
  readonly failures: WindowLimit;
  readonly signIns: WindowLimit;
  readonly signups: WindowLimit;
}

/** The memory in which the threads of one service count together. */
export type LimitMemories = { readonly [limit in keyof RequestLimits]: SharedArrayBuffer };

export function limitMemories(): LimitMemories {
  return {
    failures: limitMemory(),
    signIns: limitMemory(),
    signups: limitMemory(),
    ratePerKey: limitMemory(),
    selfServeRate: limitMemory(),
  };
}

export function requestLimits(
  { plan, ratePerKey, selfServeRate, signupsPerHour }: Config,
  memories: LimitMemories = limitMemories(),
): RequestLimits {
  return {
    failures: new WindowLimit(FAILURES_A_MINUTE, MINUTE_MS, memories.failures),
    signIns: new WindowLimit(SIGN_INS_A_MINUTE, MINUTE_MS, memories.signIns),
    signups: new WindowLimit(signupsPerHour, HOUR_MS, memories.signups),
    ratePerKey: ratePerKey === null ? null : new WindowLimit(ratePerKey, SECOND_MS, memories.ratePerKey),
    selfServeRate:
      plan === 'private' ? null : new WindowLimit(selfServeRate, SECOND_MS, memories.selfServeRate),
  };
}
