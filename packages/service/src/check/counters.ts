/** The counters of the limits that apply to the checks of one request, read before deciding. */
import {
  amountOfSum,
  type Draws,
  drawsOfText,
  type LimitReading,
  stepOf,
  type WriteIntent,
  withDraw,
} from '@writecheck/contract';
import { type AppliedLimit, limitsOn, type PolicySnapshot } from '@writecheck/engine';
import { readDraws } from '@writecheck/store/commit/admit-limits';
import { type CheckingKeyKind, type EntryLimits, groupPlace, type Limits } from '@writecheck/store/port';
import { type FactsOfChecks, NO_FACTS } from './verified-facts.ts';

/** Whose counters they are: a key's kind, and the first key of its rotation chain. */
export interface CountedKey {
  readonly workspace: string;
  readonly kind: CheckingKeyKind;
  /** Null if no checking key asks. */
  readonly lineage: string | null;
}

interface Counted {
  readonly applied: readonly AppliedLimit[];
  /** One for each limit; null if its group cannot be read. */
  readonly places: readonly (string | null)[];
}

/** Null if the bundle has no limits, or none applies: then nothing is read. */
export function readCounters(
  store: Pick<Limits, 'drawsAt'>,
  checks: readonly { readonly intent: WriteIntent }[],
  facts: FactsOfChecks,
  key: CountedKey,
  snapshot: PolicySnapshot,
  nowMs: number,
): Promise<Counters> | null {
  if (snapshot.limits.length === 0) return null;
  const counted = checks.map(({ intent }, i): Counted => {
    const applied = limitsOn(intent, facts?.[i] ?? NO_FACTS, snapshot, nowMs, key.lineage);
    return { applied, places: applied.map((one) => placeOf(one, key)) };
  });
  const places = [...new Set(counted.flatMap((one) => one.places.filter((place) => place !== null)))];
  return store.drawsAt(places).then((found) => {
    const draws = new Map(places.map((place, i) => [place, drawsOfText(found[i]!.draws)]));
    return new Counters(counted, draws, found[0]?.restoredMs ?? null, nowMs);
  });
}

function placeOf({ limit, group }: AppliedLimit, { workspace, kind }: CountedKey): string | null {
  if (group === null) return null;
  const name = { workspace, keyKind: kind, limitId: limit.id, counter: limit.counter };
  return groupPlace(name, group.digest);
}

/** Each check of a batch sees the draws of those before it. */
export class Counters {
  readonly #counted: readonly Counted[];
  readonly #draws: Map<string, Draws>;
  readonly #restoredMs: number | null;
  readonly #nowMs: number;

  constructor(
    counted: readonly Counted[],
    draws: Map<string, Draws>,
    restoredMs: number | null,
    nowMs: number,
  ) {
    this.#counted = counted;
    this.#draws = draws;
    this.#restoredMs = restoredMs;
    this.#nowMs = nowMs;
  }

  readingsOf(check: number): readonly LimitReading[] {
    const { applied, places } = this.#counted[check]!;
    return applied.flatMap(({ limit, group }, i): readonly LimitReading[] => {
      const place = places[i];
      if (group === null || place === null || place === undefined) return [];
      const draws = this.#draws.get(place)!;
      return [readDraws(limit.id, group.digest, limit.window, draws, this.#restoredMs, this.#nowMs)];
    });
  }

  /** Whether a limit that applies counts by key. */
  countsByKey(check: number): boolean {
    return this.#counted[check]!.applied.some(({ limit }) => limit.by.some(({ path }) => path === null));
  }

  /** What each reading counts, for the record. */
  recordedDraws(check: number): readonly { readonly counter: string; readonly group: readonly string[] }[] {
    return this.#counted[check]!.applied.flatMap(({ limit, group }) =>
      group === null ? [] : [{ counter: limit.counter, group: group.texts }],
    );
  }

  /** What the commit compares; an allow draws. */
  entryLimits(
    check: number,
    states: EntryLimits['states'],
    readings: readonly LimitReading[],
    isAllow: boolean,
  ): EntryLimits {
    const { applied, places } = this.#counted[check]!;
    const counters = applied.flatMap(({ group }, state) => {
      const place = places[state];
      if (group === null || place === null || place === undefined) return [];
      return [{ state, place, texts: JSON.stringify(group.texts) }];
    });
    if (isAllow) this.#draw(check);
    return { states, readings, counters, draws: isAllow };
  }

  #draw(check: number): void {
    const { applied, places } = this.#counted[check]!;
    for (const [i, { limit, draw }] of applied.entries()) {
      const place = places[i];
      if (place === null || place === undefined || draw === null) continue;
      const step = stepOf(limit.window, this.#nowMs);
      const draws = withDraw(limit.window, this.#draws.get(place)!, step, amountOfSum(draw), this.#nowMs);
      this.#draws.set(place, draws);
    }
  }
}
