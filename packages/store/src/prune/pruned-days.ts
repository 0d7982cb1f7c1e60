/** Counts the decisions that a prune empties, by workspace and UTC day: an impact run must still count them. */
import { parseLeaf } from '@writecheck/ledger/log';
import type { SegmentEntry } from '../log/segment.ts';

export interface PrunedDay {
  readonly workspace: string;
  /** `2026-11-15` */
  readonly day: string;
  readonly decisions: number;
}

const DAY_CHARACTERS = 10;

export class PrunedDays {
  readonly #counts = new Map<string, PrunedDay>();

  /** Entries that are not decisions do not count. */
  add({ leaf }: SegmentEntry): void {
    const parsed = parseLeaf(leaf);
    if (parsed === null) return;
    const { workspace } = parsed;
    const day = parsed.timestamp.slice(0, DAY_CHARACTERS);
    const key = `${workspace} ${day}`;
    const decisions = (this.#counts.get(key)?.decisions ?? 0) + 1;
    this.#counts.set(key, { workspace, day, decisions });
  }

  get rows(): readonly PrunedDay[] {
    return [...this.#counts.values()];
  }
}
