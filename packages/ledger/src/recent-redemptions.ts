/** Detects a decision that is redeemed twice, in memory that does not grow with the log. */
import { HOUR_MS } from '@writecheck/contract';

/** An allow is valid for minutes, so a second redemption comes soon after the first or is harmless; this is ample. */
const KEPT_MS = HOUR_MS;

export class RecentRedemptions {
  /** Times by decision, in order of arrival. */
  readonly #atMs = new Map<string, number>();
  #newestMs = 0;

  /** False if the decision was redeemed before. */
  add({ decision_id, timestamp }: { readonly decision_id: string; readonly timestamp: string }): boolean {
    if (this.#atMs.has(decision_id)) return false;
    const atMs = Date.parse(timestamp);
    this.#newestMs = Math.max(this.#newestMs, atMs);
    for (const [oldest, oldestMs] of this.#atMs) {
      if (oldestMs >= this.#newestMs - KEPT_MS) break;
      this.#atMs.delete(oldest);
    }
    this.#atMs.set(decision_id, atMs);
    return true;
  }
}
