/** Empties entries of a segment. Their hashes stay, so that the log still verifies. */
import { isoTime } from '@writecheck/contract';
import { type Entry, parseEntry } from '@writecheck/ledger/log';
import { LATENESS_MS_MAX } from '../commit/lateness.ts';
import { countDraws, type DrawCount } from '../index/count-draws.ts';
import { decisionTimeMs } from '../log/decision-time.ts';
import { decodeSegment, encodeSegment, type SegmentEntry, type StoredSegment } from '../log/segment.ts';
import type { Prunable } from '../port/erasures.ts';
import { REPORTED_MS_MAX } from '../port/outcomes.ts';
import { type PrunedDay, PrunedDays } from './pruned-days.ts';
import { openDrawsIn, type PrunedDraws } from './pruned-draws.ts';
import type { ReviewsAtPrune } from './reviews-at-prune.ts';

const NOTHING = new Uint8Array(0);
const EMPTIED: SegmentEntry = { record: NOTHING, leaf: NOTHING };

/**
 * Changes that stay in the log for good. Their record holds their texts, which a prune by time empties; the
 * entry holds the digests of the texts.
 */
type Worded = Extract<Entry, { kind: 'freeze.created' | 'freeze.lifted' | 'limit.corrected' }>;

function isWorded(entry: Entry | null): entry is Worded {
  return (
    entry?.kind === 'freeze.created' || entry?.kind === 'freeze.lifted' || entry?.kind === 'limit.corrected'
  );
}

/** INVARIANT: every other kind stays: the public key that signed a verdict, every change, and every erasure. */
type PrunableEntry = Extract<Entry, { kind: 'decision' | 'redemption' | 'decision.outcome' | 'review' }>;

export function isPrunableEntry(entry: Entry | null): entry is PrunableEntry {
  return ['decision', 'redemption', 'decision.outcome', 'review'].includes(entry?.kind ?? '');
}

type Where = Pick<Prunable, 'workspace' | 'beforeMs'>;

function isWithin(
  { workspace: owner, timestamp }: { readonly workspace: string; readonly timestamp: string },
  { workspace = owner, beforeMs = Number.POSITIVE_INFINITY }: Where,
): boolean {
  return owner === workspace && Date.parse(timestamp) < beforeMs;
}

/** The entry if a prune by time empties its record and leaves it. The texts of an active freeze are still needed. */
export function hasWordsToEmpty(
  { record, leaf }: SegmentEntry,
  where: Where,
  { activeFreezes }: ReviewsAtPrune,
): Worded | null {
  if (record.length === 0 || leaf.length === 0) return null;
  const entry = parseEntry(leaf);
  if (!isWorded(entry) || !isWithin(entry, where)) return null;
  return entry.kind === 'limit.corrected' || !activeFreezes.has(entry.freeze) ? entry : null;
}

/** The entry if a prune of this workspace and time may erase it: never one that a review still needs. */
export function prunableIn(
  leaf: Uint8Array,
  where: Where,
  { kept, keptDecisions }: ReviewsAtPrune,
): PrunableEntry | null {
  const entry = leaf.length === 0 ? null : parseEntry(leaf);
  if (!isPrunableEntry(entry)) return null;
  if (!isWithin({ ...placeOf(entry), timestamp: timeToGo(entry) }, where)) return null;
  if (entry.kind === 'review') return kept.has(entry.review) ? null : entry;
  return entry.kind === 'decision' && keptDecisions.has(entry.leaf.decision_id) ? null : entry;
}

/**
 * Entries that follow a decision are erased with it, so they are as old as the decision, whose id contains the
 * time.
 */
function timeToGo(entry: PrunableEntry): string {
  const { timestamp } = placeOf(entry);
  if (entry.kind === 'decision' || entry.kind === 'review') return timestamp;
  const decidedMs = decisionTimeMs(entry.decision_id) ?? Number.POSITIVE_INFINITY;
  return decidedMs < Date.parse(timestamp) ? isoTime(decidedMs) : timestamp;
}

/** Every entry that follows a decision from before the first time was recorded before this one. */
export function followedUntilMs(beforeMs: number): number {
  return beforeMs + REPORTED_MS_MAX + LATENESS_MS_MAX;
}

export function placeOf(entry: PrunableEntry): { readonly workspace: string; readonly timestamp: string } {
  return entry.kind === 'decision' ? entry.leaf : entry;
}

function isErased(leaf: Uint8Array, { only, ...where }: Prunable, reviews: ReviewsAtPrune): boolean {
  // An entry that follows a decision may be newer than it, and is erased with it.
  const { workspace } = where;
  const entry = prunableIn(leaf, only === null ? where : { ...(workspace && { workspace }) }, reviews);
  if (entry === null || only === null) return entry !== null;
  if (entry.kind === 'review') return only.reviews.has(entry.review);
  return only.decisions.has(entry.kind === 'decision' ? entry.leaf.decision_id : entry.decision_id);
}

interface PrunedSegment {
  readonly body: Buffer;
  readonly emptied: number;
  /** The decisions among them, which the store counts from now on. */
  readonly days: readonly PrunedDay[];
  /** Their draws in open windows; the counters keep them. */
  readonly draws: readonly PrunedDraws[];
}

/** The bytes to store instead of a segment, and the number of emptied entries; null if the segment stays unchanged. */
export function pruneSegment(
  segment: StoredSegment,
  found: Prunable,
  reviews: ReviewsAtPrune,
): PrunedSegment | null {
  const entries = decodeSegment(segment);
  const left = entries.map((entry) => {
    if (isErased(entry.leaf, found, reviews)) return EMPTIED;
    const isWithoutWords = found.only === null && hasWordsToEmpty(entry, found, reviews) !== null;
    return isWithoutWords ? { ...entry, record: NOTHING } : entry;
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
  return { body: encodeSegment(left), emptied, days: days.rows, draws };
}
