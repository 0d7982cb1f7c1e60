/**
 * Tracks what this thread expects counters to hold: what its last commits found, and what its checks in progress will
 * draw.
 *
 * INVARIANT: it is a forecast. The commit of each check compares it with the counters themselves, so a wrong one costs
 * time and never a draw too many.
 */
import { type Draws, drawsOfText, type LimitWindow, withDraw } from '@writecheck/contract';
import type { Store, StoredDraws } from '@writecheck/store/port';

/** A check in progress; if it is stopped, it draws nothing. */
export interface PendingDraw {
  readonly window: LimitWindow;
  readonly step: number;
  readonly amount: bigint;
  readonly atMs: number;
}

/** A few megabytes. The counters read first are dropped first. */
const COUNTERS_MAX = 20_000;

export class KnownCounter {
  readonly restoredMs: number | null;
  #draws: Draws;
  /** Draws of checks in progress, in the order in which they will be committed. */
  readonly #pending: PendingDraw[] = [];

  constructor({ draws, restoredMs }: StoredDraws) {
    this.restoredMs = restoredMs;
    this.#draws = drawsOfText(draws);
  }

  get draws(): Draws {
    return this.#draws;
  }

  draw(pending: PendingDraw): void {
    this.#pending.push(pending);
    this.#add(pending);
  }

  /** `held` is the counter after the commit, if it is not what was expected. */
  settle(pending: PendingDraw, held: string | undefined): void {
    // Commits keep the order, so whatever came before it and was never settled will not be.
    this.#pending.splice(0, this.#pending.indexOf(pending) + 1);
    if (held === undefined) return;
    this.#draws = drawsOfText(held);
    for (const later of this.#pending) this.#add(later);
  }

  undo(pending: PendingDraw): void {
    const at = this.#pending.indexOf(pending);
    if (at === -1) return;
    this.#pending.splice(at, 1);
    const { window, step, amount, atMs } = pending;
    if (amount > 0n) this.#draws = withDraw(window, this.#draws, step, -amount, atMs);
  }

  #add({ window, step, amount, atMs }: PendingDraw): void {
    if (amount > 0n) this.#draws = withDraw(window, this.#draws, step, amount, atMs);
  }
}

export class KnownDraws {
  readonly #store: Pick<Store, 'drawsAt'>;
  readonly #counters = new Map<string, KnownCounter>();

  constructor(store: Pick<Store, 'drawsAt'>) {
    this.#store = store;
  }

  get(place: string): KnownCounter | undefined {
    return this.#counters.get(place);
  }

  /** Reads counters from the store. `mustReread`: a commit showed that their forecasts are wrong. */
  async read(places: readonly string[], mustReread: boolean): Promise<ReadonlyMap<string, KnownCounter>> {
    const stored = await this.#store.drawsAt(places);
    return new Map(places.map((place, i) => [place, this.#learn(place, stored[i]!, mustReread)]));
  }

  #learn(place: string, stored: StoredDraws, mustReread: boolean): KnownCounter {
    const known = this.#counters.get(place);
    // Another check has read it meanwhile, and may be about to draw.
    if (known !== undefined && !mustReread) return known;
    const counter = new KnownCounter(stored);
    this.#counters.set(place, counter);
    if (this.#counters.size > COUNTERS_MAX) this.#counters.delete(this.#counters.keys().next().value!);
    return counter;
  }
}
