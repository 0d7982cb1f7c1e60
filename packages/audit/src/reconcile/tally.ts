/** Counts classified changes, and keeps the first findings. */
import { asciiLower } from '@writecheck/engine';
import { CHANGE_CLASSES, type ChangeClass, isFinding } from './classes.ts';
import type { DecisionFact } from './decision-fact.ts';
import type { StoredChange } from './history-store.ts';
import { FailedButFound } from './outcomes.ts';

export const FINDINGS_MAX = 1_000;

export type ClassCounts = { readonly [one in ChangeClass]: number };
/** The classes that occur. */
export type SomeClassCounts = Partial<ClassCounts>;

export interface Finding {
  readonly line: number;
  readonly class: ChangeClass;
  readonly time: string;
  readonly objectType: string;
  readonly objectRef: string;
  readonly field: string;
  readonly actor: string;
  readonly decision_id: string | null;
  /** Set only for an operation. */
  readonly operation?: string;
  /** Set only if the allow of `decision_id` had already covered an earlier change. */
  readonly doubleWrite?: true;
}

interface KeptFinding {
  readonly change: StoredChange;
  readonly finding: Finding;
}

export class Tally {
  readonly #all = new Float64Array(CHANGE_CLASSES.length);
  readonly #byActor = new Map<string, Float64Array>();
  readonly #byField = new Map<string, Float64Array>();
  #kept: KeptFinding[] = [];
  doubleWrites = 0;
  readonly failedButFound = new FailedButFound();

  add(change: StoredChange, found: ChangeClass, decisionId: string | null, isDouble: boolean): void {
    const place = CHANGE_CLASSES.indexOf(found);
    this.#all[place]! += 1;
    countUnder(this.#byActor, change.actor, place);
    const names = [change.objectType, change.field, change.operation].map(asciiLower);
    countUnder(this.#byField, JSON.stringify(names), place);
    if (isDouble) this.doubleWrites += 1;
    if (isFinding(found)) this.#keep(change, found, decisionId, isDouble);
  }

  addFailedButFound(change: StoredChange, decision: DecisionFact): void {
    this.failedButFound.add(change, decision);
  }

  #keep(change: StoredChange, found: ChangeClass, decisionId: string | null, isDouble: boolean): void {
    const { line, objectType, objectRef, field, actor, operation } = change;
    const time = new Date(change.at.ms).toISOString();
    const finding: Finding = {
      line,
      class: found,
      time,
      objectType,
      objectRef,
      field,
      actor,
      decision_id: decisionId,
      ...(operation !== '' && { operation }),
      ...(isDouble && { doubleWrite: true }),
    };
    this.#kept.push({ change, finding });
    if (this.#kept.length >= 2 * FINDINGS_MAX) this.#cut();
  }

  #cut(): void {
    this.#kept = this.#kept.sort(byTime).slice(0, FINDINGS_MAX);
  }

  get classes(): ClassCounts {
    return Object.fromEntries(
      CHANGE_CLASSES.map((one, place) => [one, this.#all[place]!]),
    ) as unknown as ClassCounts;
  }

  /** Ordered by time, then by line. */
  get findings(): readonly Finding[] {
    this.#cut();
    return this.#kept.map(({ finding }) => finding);
  }

  /** Those with the most changes first. */
  get byActor(): readonly { readonly actor: string; readonly classes: SomeClassCounts }[] {
    return mostFirst(this.#byActor).map(([actor, counts]) => ({ actor, classes: someOf(counts) }));
  }

  get byField(): readonly {
    readonly objectType: string;
    readonly field: string;
    readonly operation?: string;
    readonly classes: SomeClassCounts;
  }[] {
    return mostFirst(this.#byField).map(([key, counts]) => {
      const [objectType, field, operation] = JSON.parse(key) as [string, string, string];
      return { objectType, field, ...(operation !== '' && { operation }), classes: someOf(counts) };
    });
  }
}

function byTime({ change: a }: KeptFinding, { change: b }: KeptFinding): number {
  return a.at.ms - b.at.ms || a.at.beyondMs - b.at.beyondMs || a.line - b.line;
}

function countUnder(counts: Map<string, Float64Array>, key: string, place: number): void {
  let classes = counts.get(key);
  if (classes === undefined) {
    classes = new Float64Array(CHANGE_CLASSES.length);
    counts.set(key, classes);
  }
  classes[place]! += 1;
}

function mostFirst(counts: ReadonlyMap<string, Float64Array>): readonly [string, Float64Array][] {
  const total = (classes: Float64Array): number => classes.reduce((sum, count) => sum + count, 0);
  return [...counts].sort(([a, inA], [b, inB]) => total(inB) - total(inA) || (a < b ? -1 : 1));
}

function someOf(counts: Float64Array): SomeClassCounts {
  const occurring = CHANGE_CLASSES.map((one, place) => [one, counts[place]!] as const);
  return Object.fromEntries(occurring.filter(([, count]) => count > 0));
}
