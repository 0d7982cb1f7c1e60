/**
 * The decisions about one object, and which of them covers a change. Decisions and changes come in order of
 * time, so only the recent ones are kept.
 */
import { DAY_MS } from '@writecheck/contract';
import { ceilMs, type Moment } from './change.ts';
import type { ChangeClass } from './classes.ts';
import { type DecisionFact, isOlder } from './decision-fact.ts';

/** Below this, keeping old decisions costs less than searching for them. */
const SWEEP_MIN = 1_024;

export interface Tolerances {
  /** How long after `validUntil` a write may still be recorded. */
  readonly windowMs: number;
  /** How much earlier than its decision a change may seem to be. */
  readonly skewMs: number;
}

export interface Classified {
  readonly class: ChangeClass;
  /** The decision concerned; null if there is none. */
  readonly decision: DecisionFact | null;
  /** No allow is left for it, but an allow for this value, `decision`, covered an earlier change. */
  readonly isDouble?: true;
}

/** The classes of allows that fit, in order. */
const FITTING = ['redeemed', 'allowed', 'observed', 'development'] as const;
/** Twice: an allow whose write was reported as failed covers a change only if no other does. */
const PLACES = [...FITTING, ...FITTING];

export class ObjectHistory {
  readonly #windowMs: number;
  readonly #values = new Map<string, ValueHistory>();
  /** The newest decision, and the newest decision for another value than the newest one's. */
  #newest: DecisionFact | null = null;
  #newestOther: DecisionFact | null = null;
  #learned = 0;
  #sweepAt = SWEEP_MIN;

  constructor({ windowMs }: Pick<Tolerances, 'windowMs'>) {
    this.#windowMs = windowMs;
  }

  /** INVARIANT: decisions come in order; all changes still to come are at `fromMs` or later. */
  learn(decision: DecisionFact, fromMs: number): void {
    if (this.#newest !== null && this.#newest.value !== decision.value) this.#newestOther = this.#newest;
    this.#newest = decision;
    let history = this.#values.get(decision.value);
    if (history === undefined) {
      history = new ValueHistory();
      this.#values.set(decision.value, history);
    }
    history.learn(decision);
    this.#learned += 1;
    if (this.#learned >= this.#sweepAt) this.#sweep(fromMs);
  }

  /** Changes come in order. Every decision up to `skew` after the change must have been learned. */
  classify(at: Moment, value: string): Classified {
    const atMs = ceilMs(at);
    const history = this.#values.get(value);
    const found = history?.answer(atMs, this.#windowMs);
    if (found !== undefined) return found;
    for (const decision of ['block', 'pause'] as const) {
      const newest = history?.newest[decision];
      if (newest && atMs <= newest.atMs + DAY_MS) return { class: `after_${decision}`, decision: newest };
    }
    const other = this.#newest?.value === value ? this.#newestOther : this.#newest;
    const uncovered: Classified =
      other !== null && atMs <= other.atMs + DAY_MS
        ? { class: 'other_value', decision: other }
        : { class: 'nobody_asked', decision: null };
    const used = history?.used ?? null;
    return used !== null && atMs <= used.untilMs + this.#windowMs + DAY_MS
      ? { class: uncovered.class, decision: used, isDouble: true }
      : uncovered;
  }

  #sweep(fromMs: number): void {
    let kept = 0;
    for (const [value, history] of this.#values) {
      const left = history.keep((decision) => !this.#isPast(decision, fromMs));
      if (left === 0) this.#values.delete(value);
      kept += left;
    }
    this.#learned = kept;
    this.#sweepAt = Math.max(SWEEP_MIN, 2 * kept);
  }

  /** Whether a decision can no longer matter to a change at `fromMs` or later. */
  #isPast({ decision, atMs: madeMs, untilMs }: DecisionFact, fromMs: number): boolean {
    const lastMs = decision === 'allow' ? Math.max(madeMs, untilMs + this.#windowMs) : madeMs;
    return fromMs > lastMs + DAY_MS;
  }
}

/** The decisions for one value. */
class ValueHistory {
  readonly newest: { block: DecisionFact | null; pause: DecisionFact | null } = { block: null, pause: null };
  /** The longest valid of the allows that covered a change. */
  used: DecisionFact | null = null;
  readonly #fitting = PLACES.map(() => new Queue());
  /** Allows whose window is over, by their former class, oldest first. */
  readonly #late = PLACES.map(() => new Queue());

  learn(decision: DecisionFact): void {
    if (decision.decision === 'allow') this.#fitting[placeOf(decision)]!.push(decision);
    else this.newest[decision.decision] = decision;
  }

  /** Returns the allow that covers a change; it covers no other. */
  answer(atMs: number, windowMs: number): Classified | undefined {
    const found = this.#find(atMs, windowMs);
    if (found?.decision && (this.used === null || found.decision.untilMs >= this.used.untilMs))
      this.used = found.decision;
    return found;
  }

  #find(atMs: number, windowMs: number): Classified | undefined {
    for (const [place, queue] of this.#fitting.entries()) {
      // Only the front is examined: an expired allow behind it is late once it gets there.
      for (let first = queue.first; first !== undefined; first = queue.first) {
        queue.shift();
        if (atMs <= first.untilMs + windowMs) return { class: PLACES[place]!, decision: first };
        this.#late[place]!.push(first);
      }
    }
    for (let oldest = this.#takeLate(); oldest !== undefined; oldest = this.#takeLate()) {
      if (atMs <= oldest.untilMs + windowMs + DAY_MS) return { class: 'late', decision: oldest };
    }
    return undefined;
  }

  #takeLate(): DecisionFact | undefined {
    const [oldest] = this.#late
      .filter((queue) => queue.first !== undefined)
      .sort((a, b) => (isOlder(a.first!, b.first!) ? -1 : 1));
    const first = oldest?.first;
    oldest?.shift();
    return first;
  }

  /** Drops every decision that fails the test; returns how many are left. */
  keep(isKept: (decision: DecisionFact) => boolean): number {
    let left = 0;
    for (const queue of [...this.#fitting, ...this.#late]) left += queue.keep(isKept);
    for (const kind of ['block', 'pause'] as const) {
      const newest = this.newest[kind];
      if (newest !== null && !isKept(newest)) this.newest[kind] = null;
      if (this.newest[kind] !== null) left += 1;
    }
    if (this.used !== null && !isKept(this.used)) this.used = null;
    return this.used === null ? left : left + 1;
  }
}

function placeOf(decision: DecisionFact): number {
  const place = FITTING.indexOf(fittingClass(decision));
  return decision.outcome === 'failed' ? place + FITTING.length : place;
}

function fittingClass({ isDevelopment, isObserved, isRedeemed }: DecisionFact): (typeof FITTING)[number] {
  if (isObserved) return 'observed';
  if (isDevelopment) return 'development';
  return isRedeemed ? 'redeemed' : 'allowed';
}

/** First in, first out, without moving what remains at each step. */
class Queue {
  #items: DecisionFact[] = [];
  #from = 0;

  get first(): DecisionFact | undefined {
    return this.#items[this.#from];
  }

  push(item: DecisionFact): void {
    this.#items.push(item);
  }

  shift(): void {
    this.#from += 1;
    if (this.#from < this.#items.length) return;
    this.#items = [];
    this.#from = 0;
  }

  keep(isKept: (item: DecisionFact) => boolean): number {
    this.#items = this.#items.slice(this.#from).filter(isKept);
    this.#from = 0;
    return this.#items.length;
  }
}
