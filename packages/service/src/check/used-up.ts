/** Remembers which workspaces have used up their month, to refuse their checks before deciding them. */
import { calendarMonth } from '@writecheck/contract';
import type { CheckingKeyKind } from '@writecheck/store/port';

/** A restored database may count less than before, so the last commit's count is trusted for this long only. */
const TRUST_MS = 5_000;
/** After `TRUST_MS`, one check in this time goes to the store, which decides. */
const PROBE_MS = 1_000;
const REMEMBERED_MAX = 20_000;

interface Month {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** A time of the monotonic clock. */
  trustedUntilMs: number;
}

/**
 * INVARIANT: it can only refuse. A check that it lets through is still counted in the commit, which enforces the
 * limit exactly.
 */
export class UsedUp {
  readonly #months = new Map<string, Month>();

  /** Called after a commit with whether it found the month of `nowMs` used up. `atMs` is from a monotonic clock. */
  learn(workspace: string, kind: CheckingKeyKind, isUsedUp: boolean, nowMs: number, atMs: number): void {
    const name = `${kind} ${workspace}`;
    if (!isUsedUp) return void this.#months.delete(name);
    if (this.#months.size >= REMEMBERED_MAX) this.#months.clear();
    const { startsAtMs, endsAtMs } = calendarMonth(nowMs);
    this.#months.set(name, { startsAtMs, endsAtMs, trustedUntilMs: atMs + TRUST_MS });
  }

  has(workspace: string, kind: CheckingKeyKind, nowMs: number, atMs: number): boolean {
    const month = this.#months.get(`${kind} ${workspace}`);
    // It is another month, or the clock was set: the store decides.
    if (month === undefined || nowMs < month.startsAtMs || nowMs >= month.endsAtMs) return false;
    if (atMs < month.trustedUntilMs) return true;
    month.trustedUntilMs = atMs + PROBE_MS;
    return false;
  }
}
