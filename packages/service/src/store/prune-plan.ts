/** Which entries a prune takes out of the log, the same in both databases. */
import { type Entry, parseEntry } from '@writecheck/ledger';
import type { PruneQuery } from './port.ts';
import { recordedIntent } from './recorded-intent.ts';
import type { SegmentEntry } from './segment.ts';

/** What a prune must know of reviews before it begins. */
export interface ReviewsAtPrune {
  /** Open ones, and approvals that an allow may still use: their entries stay, whatever the query says. */
  readonly kept: ReadonlySet<string>;
  /** The decisions that those came from. */
  readonly keptDecisions: ReadonlySet<string>;
  /** All others about the query's object; empty if it names none. */
  readonly ofObject: ReadonlySet<string>;
}

/** A row of a review that is open, or approved and unused. */
export interface ReviewToKeep {
  readonly id: string;
  readonly state: string;
  readonly document: string;
}

/** `nowMs` is the newest time in the log: what had run out by then stays so. */
export const reviewsAtPrune = (
  unfinished: readonly ReviewToKeep[],
  ofObject: readonly string[],
  nowMs: number,
): ReviewsAtPrune => {
  const kept = new Set<string>();
  const keptDecisions = new Set<string>();
  for (const { id, state, document } of unfinished) {
    const { decisionId, validUntilMs } = JSON.parse(document) as {
      readonly decisionId?: unknown;
      readonly validUntilMs?: unknown;
    };
    if (state !== 'open' && typeof validUntilMs === 'number' && validUntilMs <= nowMs) continue;
    kept.add(id);
    if (typeof decisionId === 'string') keptDecisions.add(decisionId);
  }
  return { kept, keptDecisions, ofObject: new Set(ofObject.filter((id) => !kept.has(id))) };
};

export type Prunable = Extract<Entry, { kind: 'decision' | 'redemption' | 'review' }>;

/** Null for what no prune takes out: continuations, unknown kinds, and what somebody else or later was about. */
export const prunable = (
  { leaf }: SegmentEntry,
  { workspace, beforeMs }: PruneQuery,
  { kept, keptDecisions }: ReviewsAtPrune,
): Prunable | null => {
  const entry = leaf.length === 0 ? null : parseEntry(leaf);
  if (entry === null || entry.kind === 'continuation' || entry.kind === 'other') return null;
  const { workspace: owner, timestamp } = entry.kind === 'decision' ? entry.leaf : entry;
  if (workspace !== undefined && owner !== workspace) return null;
  if (beforeMs !== undefined && Date.parse(timestamp) >= beforeMs) return null;
  if (entry.kind === 'review') return kept.has(entry.review) ? null : entry;
  return entry.kind === 'decision' && keptDecisions.has(entry.leaf.decision_id) ? null : entry;
};

/** Whether a decision's record is about the object. */
export const isAbout = ({ record }: SegmentEntry, objectRef: string): boolean =>
  recordedIntent(record).objectRef === objectRef;
