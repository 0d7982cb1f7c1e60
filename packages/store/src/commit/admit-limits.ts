/** Compares the counters that a check was decided with to the current ones, and draws: once for both stores. */
import {
  amountOfSum,
  amountText,
  type CountedDraws,
  counts,
  type Draws,
  drawnAt,
  drawsEndMs,
  drawsOfText,
  drawsText,
  isoTime,
  type LimitReading,
  type LimitState,
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

/** The row to write for a group. */
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
  readonly drawn: { readonly texts: string; readonly window: LimitWindow } | null;
}

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

function countedAt(window: LimitWindow, draws: Draws, restoredMs: number | null, atMs: number): CountedDraws {
  const { drawn, resetsAtMs } = drawnAt(window, draws, atMs);
  if (restoredMs === null || !counts(window, stepOf(window, restoredMs), atMs))
    return { drawn, resetsAtMs, restored: false };
  return { drawn, resetsAtMs: stepEndsMs(window, stepOf(window, restoredMs)), restored: true };
}

/** Reads how much a counter holds at a moment. */
export function readDraws(
  limit: string,
  group: string,
  window: LimitWindow,
  draws: Draws,
  restoredMs: number | null,
  atMs: number,
): LimitReading {
  return readingOf(limit, group, countedAt(window, draws, restoredMs, atMs));
}

function endText({ resetsAtMs }: CountedDraws): string | null {
  return resetsAtMs === null ? null : isoTime(resetsAtMs);
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
    const drawn: DrawnPlace[] = [];
    for (const [place, { draws, drawn: by }] of this.#counters) {
      if (by === null) continue;
      const { texts, window } = by;
      drawn.push({ place, texts, draws: drawsText(draws), untilMs: drawsEndMs(window, draws) });
    }
    return drawn;
  }

  /**
   * The counters that moved since the check was decided, or null; `decide_again` if they could change the decision, and
   * then nothing is drawn.
   */
  settle(limits: EntryLimits, atMs: number): MovedLimits | null | 'decide_again' {
    const moved = this.#compare(limits, atMs);
    if (moved === 'decide_again') return moved;
    if (limits.draws) this.#draw(limits, atMs);
    if (moved === null) return null;
    return { ...moved, held: limits.counters.map(({ place }) => drawsText(this.#at(place).draws)) };
  }

  #at(place: string): Counter {
    const counter = this.#counters.get(place);
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
  ): Omit<MovedLimits, 'held'> | null | 'decide_again' {
    let movedStates: LimitState[] | null = null;
    let movedReadings: LimitReading[] | null = null;
    for (const [i, { state: at, place, per, drawn, resetsAt, restored }] of counters.entries()) {
      const { draws, restoredMs } = this.#at(place);
      const now = countedAt(windowOf(per), draws, restoredMs, atMs);
      if (amountText(now.drawn) === drawn && endText(now) === resetsAt && now.restored === restored) continue;
      movedStates ??= JSON.parse(states) as LimitState[];
      movedReadings ??= JSON.parse(readings) as LimitReading[];
      const { limit, group } = movedReadings[i]!;
      const reading = readingOf(limit, group, now);
      const state = movedStates[at]!;
      const moved = withReading(state, reading);
      if (moved.beyond !== state.beyond || now.restored !== restored) return 'decide_again';
      movedStates[at] = moved;
      movedReadings[i] = reading;
    }
    return movedStates === null
      ? null
      : { states: JSON.stringify(movedStates), readings: JSON.stringify(movedReadings) };
  }

  #draw({ counters }: EntryLimits, atMs: number): void {
    for (const { place, texts, per, draw } of counters) {
      if (draw === null) continue;
      const amount = amountOfSum(draw);
      if (amount === 0n) continue;
      const window = windowOf(per);
      const { draws: before, restoredMs } = this.#at(place);
      const draws = withDraw(window, before, stepOf(window, atMs), amount, atMs);
      this.#counters.set(place, { draws, restoredMs, drawn: { texts, window } });
    }
  }
}
