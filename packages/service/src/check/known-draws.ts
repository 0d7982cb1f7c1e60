/**
 * What this thread expects counters to hold: what its last commits found, and what its checks under way will draw.
 *
 * INVARIANT: it is a forecast. The commit of each check compares it with the counters themselves, so a wrong one costs
 * time and never a draw too many.
 */
import { type Draws, drawsOfText, type LimitWindow, withDraw } from '@writecheck/contract';
import type { Limits, StoredDraws } from '@writecheck/store/port';

/** A check under way; one that stops draws nothing. */
export interface PendingDraw {
  readonly window: LimitWindow;
  readonly step: number;
  readonly amount: bigint;
  readonly atMs: number;
}

/** A few megabytes. The ones that were read first go first. */
const COUNTERS_MAX = 20_000;

export class KnownCounter {
  readonly restoredMs: number | null;
  #draws: Draws;
  /** In the order in which they will be committed. */
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

  /** Called with what the commit found the counter to hold after it, if that was not what was expected. */
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
    this.#draws = withDraw(window, this.#draws, step, -amount, atMs);
  }

  #add({ window, step, amount, atMs }: PendingDraw): void {
    if (amount > 0n) this.#draws = withDraw(window, this.#draws, step, amount, atMs);
  }
}

export class KnownDraws {
  readonly #store: Pick<Limits, 'drawsAt'>;
  readonly #counters = new Map<string, KnownCounter>();

  constructor(store: Pick<Limits, 'drawsAt'>) {
    this.#store = store;
  }

  /** Without waiting if all are known. `isAnew`: what is known turned out to be wrong. */
  at(places: readonly string[], isAnew: boolean): readonly KnownCounter[] | Promise<readonly KnownCounter[]> {
    const known = isAnew ? null : this.#known(places);
    return known ?? this.#store.drawsAt(places).then((found) => this.#learn(places, found, isAnew));
  }

  #known(places: readonly string[]): readonly KnownCounter[] | null {
    const known: KnownCounter[] = [];
    for (const place of places) {
      const counter = this.#counters.get(place);
      if (counter === undefined) return null;
      known.push(counter);
    }
    return known;
  }

  /** Another check may have read the same meanwhile, and may be about to draw. */
  #learn(places: readonly string[], found: readonly StoredDraws[], isAnew: boolean): readonly KnownCounter[] {
    return places.map((place, i) => {
      const known = this.#counters.get(place);
      if (known !== undefined && !isAnew) return known;
      const counter = new KnownCounter(found[i]!);
      this.#counters.set(place, counter);
      if (this.#counters.size > COUNTERS_MAX) this.#counters.delete(this.#counters.keys().next().value!);
      return counter;
    });
  }
}
