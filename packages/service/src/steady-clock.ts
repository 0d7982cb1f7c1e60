/** The time at which decisions are made: never behind the newest record in the log. */

export const BEHIND_MS_MAX = 60_000;

export type Moment =
  | { readonly kind: 'now'; readonly nowMs: number }
  /** The clock is so far behind the newest record that the age of evidence cannot be trusted. */
  | { readonly kind: 'clock_behind'; readonly behindMs: number };

export class SteadyClock {
  #newestMs: number;

  /** `newestMs` is the time of the newest committed record. */
  constructor(newestMs: number) {
    this.#newestMs = newestMs;
  }

  /** Called with the time of every record known to be committed, by this process or another. */
  saw(recordMs: number): void {
    if (recordMs > this.#newestMs) this.#newestMs = recordMs;
  }

  /** What is still valid by a clock that was set back may have expired by the log, so the later one decides. */
  notBefore(clockMs: number): number {
    return Math.max(clockMs, this.#newestMs);
  }

  /** `clockMs` is the system clock's time. */
  at(clockMs: number): Moment {
    const behindMs = this.#newestMs - clockMs;
    if (behindMs > BEHIND_MS_MAX) return { kind: 'clock_behind', behindMs };
    return { kind: 'now', nowMs: behindMs > 0 ? this.#newestMs : clockMs };
  }
}
