/** Detects events that cannot have happened to a review, in memory that does not grow with the log. */
import { DAY_MS } from '@writecheck/contract';
import type { LoggedReviewEntry, ReviewEvent } from './review-entry.ts';

/** A review is open for 30 days at most, so any further event comes within this time. */
const KEPT_MS = 31 * DAY_MS;

const CLOSING: ReadonlySet<ReviewEvent> = new Set(['approved', 'rejected', 'expired', 'cancelled']);

interface Seen {
  /** The event that closed it; null while it is open. */
  readonly closedBy: ReviewEvent | null;
  readonly atMs: number;
}

/**
 * Each log separately: replicas write to separate logs, which an export contains one after the other, so only within
 * a log is the order of entries the order of events. Pruned or filtered entries are not missed.
 */
export class ReviewOrder {
  /** Reviews by log and id, those longest without an event first. */
  readonly #seen = new Map<string, Seen>();
  #newestMs = 0;

  /** Null if the event may follow those before it; otherwise the error, as text. */
  add({ log, review, event, timestamp }: LoggedReviewEntry): string | null {
    const key = `${log} ${review}`;
    const before = this.#seen.get(key);
    const problem = before === undefined ? null : problemOf(event, before.closedBy, review);
    if (problem !== null) return problem;
    const atMs = Date.parse(timestamp);
    this.#newestMs = Math.max(this.#newestMs, atMs);
    const closedBy = CLOSING.has(event) ? event : (before?.closedBy ?? null);
    this.#seen.delete(key);
    for (const [oldest, seen] of this.#seen) {
      if (seen.atMs >= this.#newestMs - KEPT_MS) break;
      this.#seen.delete(oldest);
    }
    this.#seen.set(key, { closedBy, atMs });
    return null;
  }
}

function problemOf(event: ReviewEvent, closedBy: ReviewEvent | null, review: string): string | null {
  if (event === 'opened') return `review \`${review}\` was opened before`;
  // Another key may join a closed review, to see how it ended.
  if (closedBy === null || event === 'asked') return null;
  if (closedBy === 'approved' && event === 'cancelled') return null;
  return `review \`${review}\` was ${closedBy} before, so it cannot be followed by \`${event}\``;
}
