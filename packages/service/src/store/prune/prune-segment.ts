/** Which entries a prune empties. Their hashes stay, so that the log still verifies. */
import { parseEntry, recordedIntent } from '@writecheck/ledger';
import type { PruneQuery } from '../port.ts';
import { decodeSegment, encodeSegment, type SegmentEntry, type StoredSegment } from '../segment.ts';

const NOTHING = new Uint8Array(0);
const EMPTIED: SegmentEntry = { record: NOTHING, leaf: NOTHING };

/** Entries of one kind, or of both if none is named. */
export type OnlyKind = 'decision' | 'redemption' | undefined;

/**
 * Whether a prune names this entry. A decision about the object is added to `forgotten`, and its redemptions are named
 * once it is there. Continuations are never named.
 */
export function isNamed(
  { record, leaf }: SegmentEntry,
  { workspace, beforeMs, objectRef }: PruneQuery,
  forgotten: Set<string>,
  only?: OnlyKind,
): boolean {
  const entry = leaf.length === 0 ? null : parseEntry(leaf);
  if (entry === null || entry.kind === 'continuation') return false;
  if (only !== undefined && entry.kind !== only) return false;
  const { workspace: owner, timestamp, decision_id } = entry.kind === 'decision' ? entry.leaf : entry;
  if (workspace !== undefined && owner !== workspace) return false;
  if (beforeMs !== undefined && Date.parse(timestamp) >= beforeMs) return false;
  if (objectRef === undefined) return true;
  if (entry.kind === 'redemption') return forgotten.has(decision_id);
  if (recordedIntent(record).objectRef !== objectRef) return false;
  forgotten.add(decision_id);
  return true;
}

/** What to store instead of a segment, and how many entries that empties; null if it stays as it is. */
export function pruneSegment(
  segment: StoredSegment,
  query: PruneQuery,
  forgotten: Set<string>,
  only?: OnlyKind,
): { readonly body: Buffer; readonly emptied: number } | null {
  const entries = decodeSegment(segment);
  const left = entries.map((entry) => (isNamed(entry, query, forgotten, only) ? EMPTIED : entry));
  const emptied = left.filter((entry) => entry === EMPTIED).length;
  return emptied === 0 ? null : { body: encodeSegment(left), emptied };
}
