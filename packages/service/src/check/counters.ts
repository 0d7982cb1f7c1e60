/** The counters of the limits that apply to a check, read before deciding. */
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

/** Whose counters they are: a key's kind, and the first key of its rotation chain. */
interface CountedKey {
  readonly workspace: string;
  readonly kind: CheckingKeyKind;
  /** Null unless a checking key sends the request. */
  readonly lineage: string | null;
}

interface CountedCheck {
  readonly intent: WriteIntent;
  readonly key: CountedKey;
  readonly context: { readonly nowMs: number };
}

interface CountedBasis {
  readonly facts: readonly AttestationChecks[];
  readonly snapshot: PolicySnapshot;
}

/**
 * Called if the bundle has limits. Reads only unknown counters from the store; `mustReread` reads all of them again.
 */
export function readCounters(
  draws: KnownDraws,
  { intent, key, context: { nowMs } }: CountedCheck,
  { facts, snapshot }: CountedBasis,
  mustReread: boolean,
): Counters | Promise<Counters> {
  const applied = limitsOn(intent, facts, snapshot, nowMs, key.lineage);
  const places = applied.map((each) => placeOf(each, key));
  const known = new Map<string, KnownCounter>();
  const missing = new Set<string>();
  for (const place of places) {
    if (place === null) continue;
    const counter = mustReread ? undefined : draws.get(place);
    if (counter === undefined) missing.add(place);
    else known.set(place, counter);
  }
  if (missing.size === 0) return new Counters(nowMs, applied, places, known);
  return draws.read([...missing], mustReread).then((read) => {
    for (const [place, counter] of read) known.set(place, counter);
    return new Counters(nowMs, applied, places, known);
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

const NONE_DRAWN = 0n;

/** A counter that was read. */
interface ReadCounter extends Pick<AppliedLimit, 'limit' | 'draw'> {
  readonly group: NonNullable<AppliedLimit['group']>;
  /** The position of its limit among those that apply. */
  readonly state: number;
  readonly place: string;
  readonly counter: KnownCounter;
}

export class Counters {
  readonly applied: readonly AppliedLimit[];
  /** What decides the check, and what its commit compares. */
  readonly readings: readonly LimitReading[];
  readonly #nowMs: number;
  readonly #read: readonly ReadCounter[];
  /** In the order of `#read`; null until a decision draws. */
  #pending: readonly PendingDraw[] | null = null;

  /** `places` has one for each limit; null if its group cannot be read. */
  constructor(
    nowMs: number,
    applied: readonly AppliedLimit[],
    places: readonly (string | null)[],
    known: ReadonlyMap<string, KnownCounter>,
  ) {
    this.#nowMs = nowMs;
    this.applied = applied;
    // INVARIANT: a counter that was not read has no reading, and its limit counts as exceeded.
    this.#read = applied.flatMap(({ limit, group, draw }, state) => {
      const place = places[state] ?? '';
      const counter = known.get(place);
      return group === null || counter === undefined ? [] : [{ limit, group, draw, state, place, counter }];
    });
    this.readings = this.#read.map(({ limit, group, counter }) =>
      readDraws(limit.id, group.digest, limit.window, counter.draws, counter.restoredMs, nowMs),
    );
  }

  /** The counter and group of each reading, for the record. */
  get draws(): readonly { readonly counter: string; readonly group: readonly string[] }[] {
    return this.#read.map(({ limit, group }) => ({ counter: limit.counter, group: group.texts }));
  }

  /** Whether a limit that applies counts by key. */
  get countsByKey(): boolean {
    return this.applied.some(({ limit }) => limit.by.some(({ path }) => path === null));
  }

  /**
   * Call it once: an allow draws, and the checks after it see that. `settle` follows. `statesText` is `states` in JSON.
   */
  entryLimits(states: readonly LimitState[], statesText: string, isAllow: boolean): EntryLimits {
    this.#pending = this.#read.map(({ limit: { window }, draw, counter }) => {
      const amount = isAllow && draw !== null ? amountOfSum(draw) : NONE_DRAWN;
      const pending = { window, step: stepOf(window, this.#nowMs), amount, atMs: this.#nowMs };
      counter.draw(pending);
      return pending;
    });
    return {
      states: statesText,
      readings: JSON.stringify(this.readings),
      counters: this.#read.map(({ limit: { per }, state, place, group }, i) => {
        const { drawn, resetsAt, restored = false } = this.readings[i]!;
        const { draw } = states[state]!;
        return { state, place, texts: group.name, per, draw, drawn, resetsAt, restored };
      }),
      draws: isAllow,
    };
  }

  /** Call it with the check's result, before any later commit is settled; null if it was never submitted. */
  settle(submitted: Submitted | null): void {
    for (const [i, pending] of (this.#pending ?? []).entries()) {
      const { counter } = this.#read[i]!;
      if (submitted?.kind === 'committed') counter.settle(pending, submitted.limits?.held[i]);
      else counter.undo(pending);
    }
  }
}
