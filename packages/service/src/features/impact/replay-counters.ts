/** The counters of limits while a log is replayed: each bundle draws on its own, as if it had always run. */
import {
  type AttestationChecks,
  amountOfSum,
  type Draws,
  drawsEndMs,
  LATER_MS_MAX,
  NO_DRAWS,
  stepOf,
  type WriteIntent,
  withDraw,
} from '@writecheck/contract';
import {
  type Circumstances,
  type Limit,
  limitsOn,
  NO_CIRCUMSTANCES,
  type PolicySnapshot,
} from '@writecheck/engine';
import type { LimitCorrectedEntry } from '@writecheck/ledger/log';
import { readDraws } from '@writecheck/store/commit/admit-limits';

/** A decision, and the key that sent its check. */
interface CountedDecision {
  readonly intent: WriteIntent;
  readonly facts: readonly AttestationChecks[];
  readonly atMs: number;
  readonly keyKind: string;
  /** The first key of its rotation chain. */
  readonly firstKey: string;
}

/** The readings that decide, and the draws if the decision is an allow. */
interface ReadCounters {
  readonly circumstances: Circumstances;
  readonly draw: () => void;
}

/** The two sides of a comparison. */
export interface ReadSides {
  readonly candidate: ReadCounters;
  readonly running: ReadCounters;
}

export const NOT_LIMITED: ReadCounters = { circumstances: NO_CIRCUMSTANCES, draw: () => undefined };

export const NO_LIMITS: ReadSides = { candidate: NOT_LIMITED, running: NOT_LIMITED };

interface Counter {
  readonly limit: Limit;
  draws: Draws;
}

/** Expired windows are removed once there are this many. */
const SWEPT_FROM = 10_000;

export class ReplayCounters {
  readonly #snapshot: PolicySnapshot;
  readonly #counters = new Map<string, Counter>();
  #sweepAt = SWEPT_FROM;

  constructor(snapshot: PolicySnapshot) {
    this.#snapshot = snapshot;
  }

  read({ intent, facts, atMs, keyKind, firstKey }: CountedDecision): ReadCounters {
    const applied = limitsOn(intent, facts, this.#snapshot, atMs, firstKey);
    if (applied.length === 0) return NOT_LIMITED;
    const counted = applied.flatMap(({ limit, group, draw }) =>
      group === null
        ? []
        : [{ limit, draw, digest: group.digest, name: nameOf(keyKind, limit.id, group.digest) }],
    );
    const readings = counted.map(({ limit, digest, name }) =>
      readDraws(limit.id, digest, limit.window, this.#counters.get(name)?.draws ?? NO_DRAWS, null, atMs),
    );
    return {
      circumstances: { ...NO_CIRCUMSTANCES, readings, firstKeyId: firstKey },
      draw: () => {
        for (const { limit, draw, name } of counted)
          if (draw !== null) this.#draw(name, limit, amountOfSum(draw), atMs);
      },
    };
  }

  /** Gives back what an owner gave back, if the limit still counts the same. */
  giveBack({ keyKind, limit: id, counter, group, steps }: LimitCorrectedEntry): void {
    const found = this.#counters.get(nameOf(keyKind, id, group));
    if (found === undefined || found.limit.counter !== counter) return;
    const { window } = found.limit;
    for (const { step, amount } of steps)
      found.draws = withDraw(window, found.draws, step, -amountOfSum(amount), 0);
  }

  #draw(name: string, limit: Limit, amount: bigint, atMs: number): void {
    const { window } = limit;
    const counter = this.#counters.get(name) ?? { limit, draws: NO_DRAWS };
    counter.draws = withDraw(window, counter.draws, stepOf(window, atMs), amount, atMs);
    this.#counters.set(name, counter);
    if (this.#counters.size >= this.#sweepAt) this.#sweep(atMs);
  }

  /** Memory holds only the groups of open windows. */
  #sweep(newestMs: number): void {
    for (const [name, { limit, draws }] of this.#counters)
      if (drawsEndMs(limit.window, draws) + LATER_MS_MAX <= newestMs) this.#counters.delete(name);
    this.#sweepAt = Math.max(SWEPT_FROM, 2 * this.#counters.size);
  }
}

function nameOf(keyKind: string, limitId: string, groupDigest: string): string {
  return `${keyKind} ${groupDigest} ${limitId}`;
}
