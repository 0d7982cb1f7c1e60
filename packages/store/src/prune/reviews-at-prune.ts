/** Reads what a prune must know about reviews and freezes before it begins, the same for both databases. */
import { DAY_MS } from '@writecheck/contract';

export interface ReviewsAtPrune {
  /** Open ones, usable approvals and recent rejections: their entries stay, whatever the query says. */
  readonly kept: ReadonlySet<string>;
  /** The decisions those reviews came from. */
  readonly keptDecisions: ReadonlySet<string>;
  /** Their reasons are still needed. */
  readonly activeFreezes: ReadonlySet<string>;
  /** The newest time in the log. */
  readonly newestMs: number;
}

/** A row of a review that is open, rejected, or approved and unused. */
export interface ReviewToKeep {
  readonly id: string;
  readonly state: string;
  readonly resolved_ms: number | null;
  readonly document: string;
}

/**
 * `nowMs` is the newest time in the log: an approval that had expired by then no longer counts. A rejection counts for
 * a day: without it, the agent could open a new review of the write.
 */
export function reviewsAtPrune(
  unfinished: readonly ReviewToKeep[],
  nowMs: number,
  activeFreezes: readonly string[],
): ReviewsAtPrune {
  const kept = new Set<string>();
  const keptDecisions = new Set<string>();
  for (const { id, state, resolved_ms: resolvedMs, document } of unfinished) {
    if (state === 'rejected' && resolvedMs !== null && nowMs - resolvedMs >= DAY_MS) continue;
    const { decisionId, validUntilMs } = JSON.parse(document) as {
      readonly decisionId?: unknown;
      readonly validUntilMs?: unknown;
    };
    if (state === 'approved' && typeof validUntilMs === 'number' && validUntilMs <= nowMs) continue;
    kept.add(id);
    if (typeof decisionId === 'string') keptDecisions.add(decisionId);
  }
  return { kept, keptDecisions, activeFreezes: new Set(activeFreezes), newestMs: nowMs };
}
