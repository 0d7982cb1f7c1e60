/** Empties entries of a segment. Their hashes stay, so that the log still verifies. */
import { type Entry, parseEntry } from '@writecheck/ledger';
import { isArchived, readStub, stubOf } from '../archive/stub.ts';
import type { Prunable } from '../port.ts';
import { decodeSegment, encodeSegment, type SegmentEntry, type StoredSegment } from '../segment.ts';
import { type PrunedDay, PrunedDays } from './pruned-days.ts';
import type { ReviewsAtPrune } from './reviews-at-prune.ts';

const NOTHING = new Uint8Array(0);
const EMPTIED: SegmentEntry = { record: NOTHING, leaf: NOTHING };

/** INVARIANT: every other kind stays: the public key that signed a verdict, every change, and every erasure. */
export type PrunableEntry = Extract<
  Entry,
  { kind: 'decision' | 'redemption' | 'decision.outcome' | 'review' }
>;

export function isPrunableEntry(entry: Entry | null): entry is PrunableEntry {
  return ['decision', 'redemption', 'decision.outcome', 'review'].includes(entry?.kind ?? '');
}

/** The entry if a prune of this workspace and time may take it: nothing that a review still needs. */
export function prunableIn(
  leaf: Uint8Array,
  { workspace, beforeMs }: Pick<Prunable, 'workspace' | 'beforeMs'>,
  { kept, keptDecisions }: ReviewsAtPrune,
): PrunableEntry | null {
  const entry = leaf.length === 0 ? null : parseEntry(leaf);
  if (!isPrunableEntry(entry)) return null;
  const { workspace: owner, timestamp } = placeOf(entry);
  if (workspace !== undefined && owner !== workspace) return null;
  if (beforeMs !== undefined && Date.parse(timestamp) >= beforeMs) return null;
  if (entry.kind === 'review') return kept.has(entry.review) ? null : entry;
  return entry.kind === 'decision' && keptDecisions.has(entry.leaf.decision_id) ? null : entry;
}

export function placeOf(entry: PrunableEntry): { readonly workspace: string; readonly timestamp: string } {
  return entry.kind === 'decision' ? entry.leaf : entry;
}

function isErased(leaf: Uint8Array, { only, ...where }: Prunable, reviews: ReviewsAtPrune): boolean {
  // What follows a decision may be newer than the decision, and goes with it.
  const { workspace } = where;
  const entry = prunableIn(leaf, only === null ? where : { ...(workspace && { workspace }) }, reviews);
  if (entry === null || only === null) return entry !== null;
  if (entry.kind === 'review') return only.reviews.has(entry.review);
  return only.decisions.has(entry.kind === 'decision' ? entry.leaf.decision_id : entry.decision_id);
}

export interface PrunedSegment {
  readonly body: Buffer;
  readonly emptied: number;
  /** The decisions among them, which the store counts from now on. */
  readonly days: readonly PrunedDay[];
}

/** What to store instead of a segment, and how many entries that empties; null if the segment stays unchanged. */
export function pruneSegment(
  segment: StoredSegment,
  found: Prunable,
  reviews: ReviewsAtPrune,
): PrunedSegment | null {
  const entries = decodeSegment(segment);
  const left = entries.map((entry) => (isErased(entry.leaf, found, reviews) ? EMPTIED : entry));
  const emptied = left.filter((entry) => entry === EMPTIED).length;
  if (emptied === 0) return null;
  const days = new PrunedDays();
  for (const [index, entry] of entries.entries()) if (left[index] === EMPTIED) days.add(entry);
  return { body: bodyOf(segment, left), emptied, days: days.rows };
}

/** An archived segment stays one; until its file was written again, the file holds more. */
function bodyOf({ body, count }: StoredSegment, left: readonly SegmentEntry[]): Buffer {
  if (!isArchived(body)) return encodeSegment(left);
  return stubOf({ ...readStub(body, count), fileHoldsMore: true }, left);
}
