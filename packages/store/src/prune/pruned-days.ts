/**
 * Counts what a prune empties, by workspace and UTC day: an impact run must still count the decisions, and what a
 * workspace stores is less by the bytes.
 */
import { parseEntry } from '@writecheck/ledger/log';
import type { SegmentEntry } from '../log/segment.ts';

export interface PrunedDay {
  readonly workspace: string;
  /** `2026-11-15` */
  readonly day: string;
  readonly decisions: number;
  readonly bytes: number;
}

const DAY_CHARACTERS = 10;

export class PrunedDays {
  readonly #counts = new Map<string, PrunedDay>();

  add({ record, leaf }: SegmentEntry): void {
    const entry = parseEntry(leaf);
    if (entry === null) return;
    const isDecision = entry.kind === 'decision';
    const place = isDecision ? entry.leaf : entry;
    // A continuation belongs to no workspace.
    const { workspace, timestamp } = place as { readonly workspace?: unknown; readonly timestamp: unknown };
    if (typeof workspace !== 'string' || typeof timestamp !== 'string') return;
    const day = timestamp.slice(0, DAY_CHARACTERS);
    const key = `${workspace} ${day}`;
    const before = this.#counts.get(key) ?? { decisions: 0, bytes: 0 };
    const decisions = before.decisions + Number(isDecision);
    const bytes = before.bytes + record.length + leaf.length;
    this.#counts.set(key, { workspace, day, decisions, bytes });
  }

  get rows(): readonly PrunedDay[] {
    return [...this.#counts.values()];
  }
}
