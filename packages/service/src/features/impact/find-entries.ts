/** Finds in a segment the entries that a run replays: decisions of its workspace, and draws that owners gave back. */
import { type Leaf, type LimitCorrectedEntry, parseEntry } from '@writecheck/ledger/log';
import { isDecisionLeaf, isOfWorkspace } from '@writecheck/store/log/leaf-shape';
import { type StoredEntry, useSegment } from '@writecheck/store/log/segment';
import type { TimedSegment } from '@writecheck/store/port/log-reading';
import type { Ordered } from './in-order.ts';
import { type ReadableRecord, readForReplay } from './replay-record.ts';

const CORRECTION = Buffer.from('"kind":"limit.corrected"');

/** Selects the decisions that a report counts. */
export interface Wanted {
  readonly workspace: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly system: string | null;
  readonly includeDevelopment: boolean;
}

export interface FoundDecision extends Ordered {
  readonly kind: 'decision';
  readonly leaf: Leaf;
  /** Null if it cannot be read here. */
  readonly record: ReadableRecord | null;
  /** Whether the report counts it; others only fill the counters of limits. */
  readonly isCounted: boolean;
}

interface FoundCorrection extends Ordered {
  readonly kind: 'correction';
  readonly entry: LimitCorrectedEntry;
}

export type FoundEntry = FoundDecision | FoundCorrection;

function correctionAt(
  entry: LimitCorrectedEntry & { readonly log: string },
  position: number,
): FoundCorrection {
  return { kind: 'correction', atMs: Date.parse(entry.timestamp), log: entry.log, position, entry };
}

/** If there are limits, the filter does not apply to decisions since `filledMs`, because they fill the counters. */
export function prepareFind(
  wanted: Wanted,
  filledMs: number,
  hasLimits: boolean,
): (segment: TimedSegment) => readonly FoundEntry[] {
  const isMine = filterOf(wanted, filledMs);
  return (segment) => {
    const found: FoundEntry[] = [];
    useSegment(segment, (entries) => {
      for (const [index, entry] of entries.entries()) {
        const position = segment.position + index;
        const leaf = isMine.leaf(entry);
        if (leaf === null) {
          const correction = hasLimits ? isMine.correction(entry) : null;
          if (correction !== null) found.push(correctionAt(correction, position));
          continue;
        }
        const record = readForReplay(entry.record, leaf);
        const atMs = Date.parse(leaf.timestamp);
        const isCounted = atMs >= wanted.fromMs && (record === null || isMine.intent(record));
        if (isCounted || hasLimits)
          found.push({ kind: 'decision', atMs, log: leaf.log, position, leaf, record, isCounted });
      }
    });
    return found;
  };
}

/** Selects decisions in the range, first by the leaf and then by the intent. */
function filterOf({ workspace, toMs, system, includeDevelopment }: Wanted, fromMs: number) {
  const isOwn = isOfWorkspace(workspace);
  return {
    leaf({ leaf }: StoredEntry): Leaf | null {
      if (!isOwn(leaf) || !isDecisionLeaf(leaf)) return null;
      const found = JSON.parse(leaf.toString('latin1')) as Leaf;
      if (found.keyKind === 'development' && !includeDevelopment) return null;
      const atMs = Date.parse(found.timestamp);
      return atMs >= fromMs && atMs < toMs ? found : null;
    },
    correction({ leaf }: StoredEntry): (LimitCorrectedEntry & { readonly log: string }) | null {
      if (!isOwn(leaf) || !leaf.includes(CORRECTION)) return null;
      const entry = parseEntry(leaf);
      return entry?.kind === 'limit.corrected' ? entry : null;
    },
    intent({ intent }: ReadableRecord): boolean {
      return system === null || intent.system === system;
    },
  };
}
