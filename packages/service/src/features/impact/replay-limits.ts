/** Both sides of a comparison that has limits: what each decision is decided with, and what it draws of each. */
import { windowMs } from '@writecheck/contract';
import type { PolicySnapshot } from '@writecheck/engine';
import type { Leaf, LimitCorrectedEntry } from '@writecheck/ledger/log';
import type { LogReading } from '@writecheck/store/port/log-reading';
import { type ReadSides, ReplayCounters } from './replay-counters.ts';
import type { ReadableRecord, Replay } from './replay-record.ts';

export class ReplayLimits {
  readonly #candidate: ReplayCounters;
  readonly #running: ReplayCounters;
  readonly #firstKeys: ReadonlyMap<string, string>;
  /** How long before the range counters begin to fill. */
  readonly fillMs: number;

  private constructor(
    candidate: PolicySnapshot,
    running: PolicySnapshot,
    firstKeys: ReadonlyMap<string, string>,
  ) {
    this.#candidate = new ReplayCounters(candidate);
    this.#running = new ReplayCounters(running);
    this.#firstKeys = firstKeys;
    const limits = [...candidate.limits, ...running.limits];
    this.fillMs = Math.max(...limits.map(({ window }) => windowMs(window)));
  }

  /** Null if neither bundle has limits: then the order of decisions does not matter, and nothing is counted. */
  static async of(
    reading: LogReading,
    workspace: string,
    candidate: PolicySnapshot,
    running: PolicySnapshot,
  ): Promise<ReplayLimits | null> {
    if (candidate.limits.length + running.limits.length === 0) return null;
    return new ReplayLimits(candidate, running, await reading.firstKeys(workspace));
  }

  read({ keyId, keyKind }: Leaf, { intent, facts, atMs }: ReadableRecord): ReadSides {
    const decision = { intent, facts, atMs, keyKind, firstKey: this.#firstKeys.get(keyId) ?? keyId };
    return {
      candidate: this.#candidate.read(decision),
      running: this.#running.read(decision),
    };
  }

  /** A decision that could not be replayed draws on both sides if it was allowed then. */
  draw({ candidate, running }: ReadSides, replay: Replay, leaf: Leaf): void {
    const isReplayed = replay.kind === 'replayed';
    if ((isReplayed ? replay.after : leaf).decision === 'allow') candidate.draw();
    if ((isReplayed ? replay.before : leaf).decision === 'allow') running.draw();
  }

  giveBack(entry: LimitCorrectedEntry): void {
    this.#candidate.giveBack(entry);
    this.#running.giveBack(entry);
  }
}
