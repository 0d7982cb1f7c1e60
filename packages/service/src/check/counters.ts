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
import {
  type AppliedLimit,
  type AttestationChecks,
  type Limit,
  limitsOn,
  type PolicySnapshot,
} from '@writecheck/engine';
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

/** For a bundle that has limits. */
export function readCounters(
  store: Pick<Limits, 'drawsAt'>,
  checks: readonly { readonly intent: WriteIntent }[],
  facts: FactsOfChecks,
  key: CountedKey,
  snapshot: PolicySnapshot,
  nowMs: number,
): Promise<Counters> {
  const counted = checks.map(({ intent }, i): Counted => {
    const applied = limitsOn(intent, facts?.[i] ?? NO_FACTS, snapshot, nowMs, key.lineage);
    return { applied, places: applied.map((one) => placeOf(one, key)) };
  });
  const places = [...new Set(counted.flatMap((one) => one.places.filter((place) => place !== null)))];
  return store.drawsAt(places).then((found) => {
    const draws = new Map(places.map((place, i) => [place, drawsOfText(found[i]!.draws)]));
    return new Counters(
      { checks, facts, key, snapshot, nowMs },
      counted,
      draws,
      found[0]?.restoredMs ?? null,
    );
  });
}

function placeOf({ limit, group }: AppliedLimit, { workspace, kind }: CountedKey): string | null {
  if (group === null) return null;
  const name = { workspace, keyKind: kind, limitId: limit.id, counter: limit.counter };
  return groupPlace(name, group.digest);
}

interface CountedRequest {
  readonly checks: readonly { readonly intent: WriteIntent }[];
  readonly facts: FactsOfChecks;
  readonly key: CountedKey;
  readonly snapshot: PolicySnapshot;
  readonly nowMs: number;
}

/** What one check is decided with, and what its commit compares. */
export interface CheckCounters {
  readonly readings: readonly LimitReading[];
  /** What each reading counts, for the record. */
  readonly draws: readonly { readonly counter: string; readonly group: readonly string[] }[];
  /** Whether a limit that applies counts by key. */
  readonly countsByKey: boolean;
  /** Call it once: an allow draws, and the checks after it see that. */
  entryLimits(states: EntryLimits['states'], isAllow: boolean): EntryLimits;
}

/** Each check of a batch sees the draws of those before it. */
export class Counters {
  readonly #request: CountedRequest;
  readonly #counted: readonly Counted[];
  readonly #draws: Map<string, Draws>;
  readonly #restoredMs: number | null;

  constructor(
    request: CountedRequest,
    counted: readonly Counted[],
    draws: Map<string, Draws>,
    restoredMs: number | null,
  ) {
    this.#request = request;
    this.#counted = counted;
    this.#draws = draws;
    this.#restoredMs = restoredMs;
  }

  /** `facts` are those that it is decided with: an earlier check of a batch may have used something up. */
  of(check: number, facts: readonly AttestationChecks[]): CheckCounters {
    const { checks, key, snapshot, nowMs } = this.#request;
    let { applied, places } = this.#counted[check]!;
    if (facts !== (this.#request.facts?.[check] ?? NO_FACTS)) {
      applied = limitsOn(checks[check]!.intent, facts, snapshot, nowMs, key.lineage);
      places = applied.map((one) => placeOf(one, key));
    }
    // INVARIANT: a counter that was not read has no reading, and its limit counts as exceeded.
    const read = applied.flatMap(({ limit, group, draw }, state) => {
      const place = places[state] ?? '';
      const draws = this.#draws.get(place);
      return group === null || draws === undefined ? [] : [{ limit, group, draw, state, place, draws }];
    });
    const readings = read.map(({ limit, group, draws }) =>
      readDraws(limit.id, group.digest, limit.window, draws, this.#restoredMs, nowMs),
    );
    return {
      readings,
      draws: read.map(({ limit, group }) => ({ counter: limit.counter, group: group.texts })),
      countsByKey: applied.some(({ limit }) => limit.by.some(({ path }) => path === null)),
      entryLimits: (states, isAllow) => {
        if (isAllow) for (const one of read) this.#draw(one.place, one.limit, one.draw);
        return {
          states,
          readings,
          counters: read.map(({ state, place, group }) => ({
            state,
            place,
            texts: JSON.stringify(group.texts),
          })),
          draws: isAllow,
        };
      },
    };
  }

  #draw(place: string, { window }: Limit, draw: string | null): void {
    if (draw === null) return;
    const { nowMs } = this.#request;
    const draws = withDraw(window, this.#draws.get(place)!, stepOf(window, nowMs), amountOfSum(draw), nowMs);
    this.#draws.set(place, draws);
  }
}
