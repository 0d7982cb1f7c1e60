/** Remembers which workspaces have used up their month, so that their checks are refused before they are decided. */
import { calendarMonth } from '../keys/allowance.ts';
import type { CheckingKeyKind } from '../store/port.ts';

/** A restored database may count less than before, so what the last commit said is believed for this long only. */
const TRUST_MS = 5_000;
/** Then one check a second goes to the store, which is the judge. */
const PROBE_MS = 1_000;
const REMEMBERED_MAX = 20_000;

interface Month {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** By the monotonic clock. */
  trustedUntilMs: number;
}

/**
 * INVARIANT: it can only refuse. A check that it lets through is still counted in the commit, where the limit holds
 * exactly.
 */
export class UsedUp {
  readonly #months = new Map<string, Month>();

  /** After a commit: whether it found the month of `nowMs` used up. `atMs` is of a monotonic clock. */
  learn(workspace: string, kind: CheckingKeyKind, isUsedUp: boolean, nowMs: number, atMs: number): void {
    const name = `${kind} ${workspace}`;
    if (!isUsedUp) return void this.#months.delete(name);
    if (this.#months.size >= REMEMBERED_MAX) this.#months.clear();
    const { startsAtMs, endsAtMs } = calendarMonth(nowMs);
    this.#months.set(name, { startsAtMs, endsAtMs, trustedUntilMs: atMs + TRUST_MS });
  }

  has(workspace: string, kind: CheckingKeyKind, nowMs: number, atMs: number): boolean {
    const month = this.#months.get(`${kind} ${workspace}`);
    // Another month, or a clock that was set: the store decides.
    if (month === undefined || nowMs < month.startsAtMs || nowMs >= month.endsAtMs) return false;
    if (atMs < month.trustedUntilMs) return true;
    month.trustedUntilMs = atMs + PROBE_MS;
    return false;
  }
}
