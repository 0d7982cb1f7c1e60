/** The time decisions are made at: it never runs behind what is already in the log. */

export const BEHIND_MS_MAX = 60_000;

export type Moment =
  | { readonly kind: 'now'; readonly nowMs: number }
  /** The clock is so far behind the newest record that no age of evidence could be trusted. */
  | { readonly kind: 'clock_behind'; readonly behindMs: number };

export class SteadyClock {
  #newestMs: number;

  /** `newestMs` is the time of the newest committed record. */
  constructor(newestMs: number) {
    this.#newestMs = newestMs;
  }

  /** Called with the time of every record that is known to be committed, here or by another process. */
  saw(recordMs: number): void {
    if (recordMs > this.#newestMs) this.#newestMs = recordMs;
  }

  /** What is still valid by a clock that was set back may be past by the log: expiries are judged by the later one. */
  notBefore(clockMs: number): number {
    return Math.max(clockMs, this.#newestMs);
  }

  /** `clockMs` is what the system's clock says. */
  at(clockMs: number): Moment {
    const behindMs = this.#newestMs - clockMs;
    if (behindMs > BEHIND_MS_MAX) return { kind: 'clock_behind', behindMs };
    return { kind: 'now', nowMs: behindMs > 0 ? this.#newestMs : clockMs };
  }
}
