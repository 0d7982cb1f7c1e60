/** Compares allows, and the outcomes that callers reported, with the system of record. */
import type { DecisionFact } from './decision-fact.ts';
import type { HistoryStore, StoredChange } from './history-store.ts';

const LISTED_MAX = 1_000;

/** An allow and its target; never a value. */
export interface ListedAllow {
  readonly decision_id: string;
  /** The time of the decision, or of the change that contradicts it. */
  readonly time: string;
  readonly objectType?: string;
  readonly objectRef: string;
  readonly field?: string;
  readonly operation?: string;
}

export interface OutcomeFinding extends ListedAllow {
  readonly class: 'doneNotFound' | 'failedButFound';
  /** The line of the change, if one was found. */
  readonly line?: number;
}

export interface OutcomeCounts {
  readonly doneNotFound: number;
  readonly failedButFound: number;
}

/** Writes that were reported as failed but exist. */
export class FailedButFound {
  count = 0;
  readonly listed: OutcomeFinding[] = [];

  add({ line, at, objectType, objectRef, field, operation }: StoredChange, { id }: DecisionFact): void {
    this.count += 1;
    if (this.listed.length >= LISTED_MAX) return;
    const target = operation === '' ? { objectType, objectRef, field } : { operation, objectRef };
    const time = new Date(at.ms).toISOString();
    this.listed.push({ class: 'failedButFound', decision_id: id, time, ...target, line });
  }
}

export interface JudgedAllows {
  readonly notCarriedOut: number;
  /** Reported outcomes that the changes contradict. */
  readonly outcomes: OutcomeCounts;
  /** Lists at most 1,000 of each class of `outcomes`. */
  readonly outcomeFindings: readonly OutcomeFinding[];
  /** Lists at most 1,000, the oldest first. */
  readonly allowsNotCarriedOut: readonly ListedAllow[];
}

/** Judges the allows that cover no change. */
export function judgeAllows(store: HistoryStore, failed: FailedButFound): JudgedAllows {
  let notCarriedOut = 0;
  let doneNotFound = 0;
  const listed: ListedAllow[] = [];
  const notFound: OutcomeFinding[] = [];
  for (const { id, atMs, target, isSaidDone } of store.notCarriedOut()) {
    const allow = { decision_id: id, time: new Date(atMs).toISOString(), ...target };
    notCarriedOut += 1;
    if (listed.length < LISTED_MAX) listed.push(allow);
    if (!isSaidDone) continue;
    doneNotFound += 1;
    if (notFound.length < LISTED_MAX) notFound.push({ class: 'doneNotFound', ...allow });
  }
  return {
    notCarriedOut,
    allowsNotCarriedOut: listed,
    outcomes: { doneNotFound, failedButFound: failed.count },
    outcomeFindings: [...notFound, ...failed.listed],
  };
}
