/** Compares what entries were decided with to the counters as they are, and draws: once for both stores. */
import {
  amountOfSum,
  counts,
  type Draws,
  drawnAt,
  drawsEndMs,
  drawsOfText,
  drawsText,
  type LimitReading,
  type LimitWindow,
  limitWindow,
  NO_DRAWS,
  readingOf,
  stepEndsMs,
  stepOf,
  withDraw,
  withReading,
} from '@writecheck/contract';
import type { EntryLimits, MovedLimits, StoredDraws } from '../port/limits.ts';

/** What is written for a group. */
export interface DrawnPlace {
  readonly place: string;
  readonly texts: string;
  readonly draws: string;
  readonly untilMs: number;
}

interface Counter {
  readonly draws: Draws;
  readonly restoredMs: number | null;
  /** Null until something is drawn. */
  readonly drawn: DrawnPlace | null;
}

export interface LimitedEntry {
  readonly atMs: number;
  readonly limits?: EntryLimits;
}

/** For each entry what moved since it was decided, or null; `decide_again` if what moved could change a decision. */
export type SettledLimits = readonly (MovedLimits | null)[] | 'decide_again';

const windows = new Map<string, LimitWindow>();

/** INVARIANT: only the window of a compiled limit gets here. */
export function windowOf(per: string): LimitWindow {
  let window = windows.get(per);
  if (window === undefined) {
    window = limitWindow(per)!;
    windows.set(per, window);
  }
  return window;
}

/** What a counter says at a moment. */
export function readDraws(
  limit: string,
  group: string,
  window: LimitWindow,
  draws: Draws,
  restoredMs: number | null,
  atMs: number,
): LimitReading {
  const drawn = drawnAt(window, draws, atMs);
  if (restoredMs === null || !counts(window, stepOf(window, restoredMs), atMs))
    return readingOf(limit, group, { ...drawn, restored: false });
  const resetsAtMs = stepEndsMs(window, stepOf(window, restoredMs));
  return readingOf(limit, group, { ...drawn, resetsAtMs, restored: true });
}

/** The counters of one group commit: each request sees what those before it drew. */
export class LimitCounters {
  readonly #known: (place: string) => StoredDraws;
  readonly #counters = new Map<string, Counter>();

  constructor(known: (place: string) => StoredDraws) {
    this.#known = known;
  }

  /** Everything drawn, by place. */
  get drawn(): readonly DrawnPlace[] {
    return [...this.#counters.values()].flatMap(({ drawn }) => drawn ?? []);
  }

  /** Draws nothing if the request must be decided again. Entries of a batch see the draws of those before them. */
  settle(entries: readonly LimitedEntry[]): SettledLimits {
    const own = new Map<string, Counter>();
    const settled: (MovedLimits | null)[] = [];
    for (const { atMs, limits } of entries) {
      if (limits === undefined) {
        settled.push(null);
        continue;
      }
      const moved = this.#compare(limits, atMs, own);
      if (moved === 'decide_again') return moved;
      settled.push(moved);
      if (limits.draws) this.#draw(limits, atMs, own);
    }
    for (const [place, counter] of own) this.#counters.set(place, counter);
    return settled;
  }

  #at(place: string, own: ReadonlyMap<string, Counter>): Counter {
    const counter = own.get(place) ?? this.#counters.get(place);
    if (counter !== undefined) return counter;
    const { draws, restoredMs } = this.#known(place);
    const read = { draws: draws === '' ? NO_DRAWS : drawsOfText(draws), restoredMs, drawn: null };
    this.#counters.set(place, read);
    return read;
  }

  /** INVARIANT: a decision depends on a counter only by whether it is beyond, and why. */
  #compare(
    { states, readings, counters }: EntryLimits,
    atMs: number,
    own: ReadonlyMap<string, Counter>,
  ): MovedLimits | null | 'decide_again' {
    let movedStates: MovedLimits['states'][number][] | null = null;
    let movedReadings: LimitReading[] | null = null;
    for (const [i, { state: at, place }] of counters.entries()) {
      const before = readings[i]!;
      const state = states[at]!;
      const { draws, restoredMs } = this.#at(place, own);
      const now = readDraws(before.limit, before.group, windowOf(state.per), draws, restoredMs, atMs);
      if (now.drawn === before.drawn && now.resetsAt === before.resetsAt && now.restored === before.restored)
        continue;
      const moved = withReading(state, now);
      if (moved.beyond !== state.beyond || now.restored !== before.restored) return 'decide_again';
      movedStates ??= [...states];
      movedReadings ??= [...readings];
      movedStates[at] = moved;
      movedReadings[i] = now;
    }
    return movedStates === null ? null : { states: movedStates, readings: movedReadings! };
  }

  #draw({ states, counters }: EntryLimits, atMs: number, own: Map<string, Counter>): void {
    for (const { state: at, place, texts } of counters) {
      const { draw, per } = states[at]!;
      if (draw === null) continue;
      const amount = amountOfSum(draw);
      if (amount === 0n) continue;
      const window = windowOf(per);
      const { draws: before, restoredMs } = this.#at(place, own);
      const draws = withDraw(window, before, stepOf(window, atMs), amount, atMs);
      const drawn = { place, texts, draws: drawsText(draws), untilMs: drawsEndMs(window, draws) };
      own.set(place, { draws, restoredMs, drawn });
    }
  }
}
