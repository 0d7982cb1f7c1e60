/** The time at which decisions are made: never behind the newest record in the log, and never far from a second clock. */
import type { ClockReference } from './clock-reference.ts';

export const BEHIND_MS_MAX = 60_000;
export const AHEAD_MS_MAX = 60_000;

export type Moment =
  | { readonly kind: 'now'; readonly nowMs: number }
  /** The clock is so far behind the newest record or a second clock that the age of evidence cannot be trusted. */
  | { readonly kind: 'clock_behind'; readonly behindMs: number }
  /** A record with this time would make every right clock appear behind. */
  | { readonly kind: 'clock_ahead'; readonly aheadMs: number };

export class SteadyClock {
  readonly #reference: ClockReference | null;
  #newestMs: number;

  /** `newestMs` is the time of the newest committed record. Without a reference, only a record shows that the clock is wrong. */
  constructor(newestMs: number, reference: ClockReference | null) {
    this.#newestMs = newestMs;
    this.#reference = reference;
  }

  /** Called with the time of every record known to be committed, by this process or another. */
  saw(recordMs: number): void {
    if (recordMs > this.#newestMs) this.#newestMs = recordMs;
  }

  /** Dates a write that decides nothing. INVARIANT: a clock that is far off never dates a write. */
  notBefore(clockMs: number): number {
    return Math.max(this.#corrected(clockMs), this.#newestMs);
  }

  /** Tells whether something has expired: the clock may have been set back, so the latest known time counts. */
  latest(clockMs: number): number {
    return Math.max(clockMs, this.notBefore(clockMs));
  }

  /** The second clock's time if the clock is far off. */
  #corrected(clockMs: number): number {
    const aheadMs = this.aheadMs(clockMs);
    const isFarOff = aheadMs > AHEAD_MS_MAX || aheadMs < -BEHIND_MS_MAX;
    // The second clock counts fractions of a millisecond, and stores keep whole ones.
    return isFarOff ? Math.floor(clockMs - aheadMs) : clockMs;
  }

  /** How far the clock is ahead of the second clock; negative if it is behind it. */
  aheadMs(clockMs: number): number {
    return this.#reference?.aheadMs(clockMs) ?? 0;
  }

  /** How far the clock is behind the newest record or the second clock; negative if it is not. */
  behindMs(clockMs: number): number {
    return Math.max(this.#newestMs - clockMs, -this.aheadMs(clockMs));
  }

  /** `clockMs` is the system clock's time. */
  at(clockMs: number): Moment {
    const aheadMs = this.aheadMs(clockMs);
    if (aheadMs > AHEAD_MS_MAX) return { kind: 'clock_ahead', aheadMs };
    const behindMs = this.behindMs(clockMs);
    if (behindMs > BEHIND_MS_MAX) return { kind: 'clock_behind', behindMs };
    return { kind: 'now', nowMs: Math.max(clockMs, this.#newestMs) };
  }
}
