/** The counters of the limits that apply to the checks of one request, read before deciding. */
import {
  amountOfSum,
  type LimitReading,
  type LimitState,
  stepOf,
  type WriteIntent,
} from '@writecheck/contract';
import {
  type AppliedLimit,
  type AttestationChecks,
  type Limit,
  limitsOn,
  type PolicySnapshot,
} from '@writecheck/engine/deciding';
import { readDraws } from '@writecheck/store/commit/admit-limits';
import { type CheckingKeyKind, counterPlace, type EntryLimits, groupPlace } from '@writecheck/store/port';
import type { Submitted } from './group-commit.ts';
import type { KnownCounter, KnownDraws, PendingDraw } from './known-draws.ts';
import { type FactsOfChecks, NO_FACTS } from './verified-facts.ts';

/** Whose counters they are: a key's kind, and the first key of its rotation chain. */
interface CountedKey {
  readonly workspace: string;
  readonly kind: CheckingKeyKind;
  /** Null unless a checking key sends the request. */
  readonly lineage: string | null;
}

interface Counted {
  readonly applied: readonly AppliedLimit[];
  /** One for each limit; null if its group cannot be read. */
  readonly places: readonly (string | null)[];
}

interface CountedRequest {
  readonly checks: readonly { readonly intent: WriteIntent }[];
  readonly key: CountedKey;
  readonly context: { readonly nowMs: number };
}

interface CountedBasis {
  readonly facts: FactsOfChecks;
  readonly snapshot: PolicySnapshot;
}

/**
 * Called if the bundle has limits. Reads only unknown counters from the store; `mustReread` reads all of them again.
 */
export function readCounters(
  draws: KnownDraws,
  request: CountedRequest,
  basis: CountedBasis,
  mustReread: boolean,
): Counters | Promise<Counters> {
  const { checks, key, context } = request;
  const counted = checks.map(({ intent }, i): Counted => {
    const applied = limitsOn(
      intent,
      basis.facts?.[i] ?? NO_FACTS,
      basis.snapshot,
      context.nowMs,
      key.lineage,
    );
    return { applied, places: applied.map((appliedLimit) => placeOf(appliedLimit, key)) };
  });
  const counters = new Map<string, KnownCounter>();
  const missing = new Set<string>();
  for (const { places } of counted) {
    for (const place of places) {
      if (place === null) continue;
      const counter = mustReread ? undefined : draws.get(place);
      if (counter === undefined) missing.add(place);
      else counters.set(place, counter);
    }
  }
  if (missing.size === 0) return new Counters(request, basis, counted, counters);
  return draws.read([...missing], mustReread).then((read) => {
    for (const [place, counter] of read) counters.set(place, counter);
    return new Counters(request, basis, counted, counters);
  });
}

/** The first characters of the places of a limit's groups, by limit and by whose they are. */
const counterPlaces = new WeakMap<Limit, Map<string, string>>();

function placeOf({ limit, group }: AppliedLimit, { workspace, kind }: CountedKey): string | null {
  if (group === null) return null;
  const places = counterPlaces.get(limit) ?? new Map<string, string>();
  if (places.size === 0) counterPlaces.set(limit, places);
  const whose = `${workspace} ${kind}`;
  let place = places.get(whose);
  if (place === undefined) {
    place = counterPlace({ workspace, keyKind: kind, limitId: limit.id, counter: limit.counter });
    places.set(whose, place);
  }
  return groupPlace(place, group.digest);
}

/** The readings that decide one check, and that its commit compares. */
export interface CheckCounters {
  readonly applied: readonly AppliedLimit[];
  readonly readings: readonly LimitReading[];
  /** The counter and group of each reading, for the record. */
  readonly draws: readonly { readonly counter: string; readonly group: readonly string[] }[];
  /** Whether a limit that applies counts by key. */
  readonly countsByKey: boolean;
  /** Call it once: an allow draws, and the checks after it see that. `statesText` is `states` in JSON. */
  entryLimits(states: readonly LimitState[], statesText: string, isAllow: boolean): EntryLimits;
}

const NONE_DRAWN = 0n;

/** Each check of a batch sees the draws of those before it. */
export class Counters {
  readonly #request: CountedRequest;
  readonly #basis: CountedBasis;
  readonly #counted: readonly Counted[];
  readonly #counters: ReadonlyMap<string, KnownCounter>;
  /** The draws of each check, in the order of its counters. */
  readonly #drawn: { readonly counter: KnownCounter; readonly pending: PendingDraw }[][] = [];

  constructor(
    request: CountedRequest,
    basis: CountedBasis,
    counted: readonly Counted[],
    counters: ReadonlyMap<string, KnownCounter>,
  ) {
    this.#request = request;
    this.#basis = basis;
    this.#counted = counted;
    this.#counters = counters;
  }

  /** `facts` are the ones the check is decided with: an earlier check of a batch may have used something up. */
  of(check: number, facts: readonly AttestationChecks[]): CheckCounters {
    const { checks, key, context } = this.#request;
    const { nowMs } = context;
    let { applied, places } = this.#counted[check]!;
    if (facts !== (this.#basis.facts?.[check] ?? NO_FACTS)) {
      applied = limitsOn(checks[check]!.intent, facts, this.#basis.snapshot, nowMs, key.lineage);
      places = applied.map((appliedLimit) => placeOf(appliedLimit, key));
    }
    // INVARIANT: a counter that was not read has no reading, and its limit counts as exceeded.
    const read = applied.flatMap(({ limit, group, draw }, state) => {
      const place = places[state] ?? '';
      const counter = this.#counters.get(place);
      return group === null || counter === undefined ? [] : [{ limit, group, draw, state, place, counter }];
    });
    const readings = read.map(({ limit, group, counter }) =>
      readDraws(limit.id, group.digest, limit.window, counter.draws, counter.restoredMs, nowMs),
    );
    return {
      applied,
      readings,
      draws: read.map(({ limit, group }) => ({ counter: limit.counter, group: group.texts })),
      countsByKey: applied.some(({ limit }) => limit.by.some(({ path }) => path === null)),
      entryLimits: (states, statesText, isAllow) => {
        this.#drawn[check] = read.map(({ limit: { window }, draw, counter }) => {
          const amount = isAllow && draw !== null ? amountOfSum(draw) : NONE_DRAWN;
          const pending = { window, step: stepOf(window, nowMs), amount, atMs: nowMs };
          counter.draw(pending);
          return { counter, pending };
        });
        return {
          states: statesText,
          readings: JSON.stringify(readings),
          counters: read.map(({ limit: { per }, state, place, group }, i) => {
            const { drawn, resetsAt, restored = false } = readings[i]!;
            return {
              state,
              place,
              texts: group.name,
              per,
              draw: states[state]!.draw,
              drawn,
              resetsAt,
              restored,
            };
          }),
          draws: isAllow,
        };
      },
    };
  }

  /** Call it with the results of the checks, before any later commit is settled; null if they were never submitted. */
  settle(submitted: Submitted | null): void {
    const outcomes = submitted?.kind === 'done' ? submitted.entries : [];
    for (const [check, drawn] of this.#drawn.entries()) {
      const outcome = outcomes[check];
      for (const [i, { counter, pending }] of (drawn ?? []).entries()) {
        if (outcome?.kind === 'committed') counter.settle(pending, outcome.limits?.held[i]);
        else counter.undo(pending);
      }
    }
  }
}
