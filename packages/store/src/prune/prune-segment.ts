/** Which entries a prune empties. Their hashes stay, so that the log still verifies. */

import { type Entry, parseEntry, recordedIntent } from '@writecheck/ledger';
import { isArchived, readStub, stubOf } from '../archive/stub.ts';
import { countDraws, type DrawCount } from '../index/count-draws.ts';
import type { PruneQuery } from '../port.ts';
import { decodeSegment, encodeSegment, type SegmentEntry, type StoredSegment } from '../segment.ts';
import { type PrunedDay, PrunedDays } from './pruned-days.ts';
import { openDrawsIn, type PrunedDraws } from './pruned-draws.ts';
import type { ReviewsAtPrune } from './reviews-at-prune.ts';

const NOTHING = new Uint8Array(0);
const EMPTIED: SegmentEntry = { record: NOTHING, leaf: NOTHING };

/**
 * Changes that stay in the log for good. Their words stand in their record, which a prune by time empties; the entry
 * holds the digests of the words.
 */
type Worded = Extract<Entry, { kind: 'freeze.created' | 'freeze.lifted' | 'limit.corrected' }>;

function isWorded(entry: Entry | null): entry is Worded {
  return (
    entry?.kind === 'freeze.created' || entry?.kind === 'freeze.lifted' || entry?.kind === 'limit.corrected'
  );
}

/** Only what follows a decision (redemptions and outcomes), everything except that, or all if omitted. */
export type Pass = 'followers' | 'others' | undefined;

type Prunable = Extract<Entry, { kind: 'decision' | 'redemption' | 'decision.outcome' | 'review' }>;
type Follower = Extract<Prunable, { kind: 'redemption' | 'decision.outcome' }>;

function isPrunable(entry: Entry | null): entry is Prunable {
  return entry?.kind === 'decision' || entry?.kind === 'review' || isFollower(entry);
}

function isFollower(entry: Entry | null): entry is Follower {
  return entry?.kind === 'redemption' || entry?.kind === 'decision.outcome';
}

/** Null for what no prune empties: every other kind, what reviews still need, and other owners' or later entries. */
function prunable(
  { leaf }: SegmentEntry,
  query: PruneQuery,
  { kept, keptDecisions }: ReviewsAtPrune,
): Prunable | null {
  const entry = leaf.length === 0 ? null : parseEntry(leaf);
  // INVARIANT: the public key that signed a verdict stays, and so do whose invitation registered it and every change.
  if (!isPrunable(entry) || !isWithin(entry.kind === 'decision' ? entry.leaf : entry, query)) return null;
  if (entry.kind === 'review') return kept.has(entry.review) ? null : entry;
  return entry.kind === 'decision' && keptDecisions.has(entry.leaf.decision_id) ? null : entry;
}

function isWithin(
  { workspace: owner, timestamp }: { readonly workspace: string; readonly timestamp: string },
  { workspace = owner, beforeMs = Number.POSITIVE_INFINITY }: PruneQuery,
): boolean {
  return owner === workspace && Date.parse(timestamp) < beforeMs;
}

/** What an active freeze says is still needed; and no words of this kind are about one object. */
function hasWordsToEmpty(
  { record, leaf }: SegmentEntry,
  query: PruneQuery,
  { activeFreezes }: ReviewsAtPrune,
): boolean {
  if (query.objectRef !== undefined || record.length === 0 || leaf.length === 0) return false;
  const entry = parseEntry(leaf);
  if (!isWorded(entry) || !isWithin(entry, query)) return false;
  return entry.kind === 'limit.corrected' || !activeFreezes.has(entry.freeze);
}

/**
 * Whether a prune names this entry. A decision about the object is added to `forgotten`; from then on its redemption
 * and outcomes are named too.
 */
export function isNamed(
  stored: SegmentEntry,
  query: PruneQuery,
  reviews: ReviewsAtPrune,
  forgotten: Set<string>,
  pass?: Pass,
): boolean {
  const entry = prunable(stored, query, reviews);
  if (entry === null) return false;
  if (pass !== undefined && (pass === 'followers') !== isFollower(entry)) return false;
  if (query.objectRef === undefined) return true;
  if (entry.kind === 'review') return reviews.ofObject.has(entry.review);
  if (isFollower(entry)) return forgotten.has(entry.decision_id);
  if (recordedIntent(stored.record).objectRef !== query.objectRef) return false;
  forgotten.add(entry.leaf.decision_id);
  return true;
}

export interface PrunedSegment {
  readonly body: Buffer;
  readonly emptied: number;
  /** The decisions among them, which the store counts from now on. */
  readonly days: readonly PrunedDay[];
  /** What they drew in windows that are open; the counters keep it. */
  readonly draws: readonly PrunedDraws[];
}

/** What to store instead of a segment, and how many entries that empties; null if the segment stays unchanged. */
export function pruneSegment(
  segment: StoredSegment,
  query: PruneQuery,
  reviews: ReviewsAtPrune,
  forgotten: Set<string>,
  pass?: Pass,
): PrunedSegment | null {
  const entries = decodeSegment(segment);
  const left = entries.map((entry) => {
    if (isNamed(entry, query, reviews, forgotten, pass)) return EMPTIED;
    return hasWordsToEmpty(entry, query, reviews) ? { ...entry, record: NOTHING } : entry;
  });
  const emptied = left.filter((entry, i) => entry !== entries[i]).length;
  if (emptied === 0) return null;
  const days = new PrunedDays();
  const count: DrawCount = new Map();
  for (const [index, entry] of entries.entries()) {
    if (left[index] !== EMPTIED) continue;
    days.add(entry);
    countDraws(count, entry);
  }
  const draws = openDrawsIn(count, reviews.newestMs);
  return { body: bodyOf(segment, left), emptied, days: days.rows, draws };
}

/** An archived segment stays one; until its file was written again, the file holds more. */
function bodyOf({ body, count }: StoredSegment, left: readonly SegmentEntry[]): Buffer {
  if (!isArchived(body)) return encodeSegment(left);
  return stubOf({ ...readStub(body, count), fileHoldsMore: true }, left);
}
