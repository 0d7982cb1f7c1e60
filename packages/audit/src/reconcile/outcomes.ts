/** Compares what callers said about their writes with what the system of record shows. */
import type { DecisionFact } from './decision-fact.ts';
import type { HistoryStore, StoredChange } from './history-store.ts';
import type { Target } from './target.ts';

const LISTED_MAX = 1_000;

export interface OutcomeFinding {
  readonly class: 'doneNotFound' | 'failedButFound';
  readonly decision_id: string;
  /** Of the decision, or of the change that contradicts it. */
  readonly time: string;
  readonly objectType?: string;
  readonly objectRef: string;
  readonly field?: string;
  readonly operation?: string;
  /** Of the change; only if one was found. */
  readonly line?: number;
}

export interface OutcomeCounts {
  readonly doneNotFound: number;
  readonly failedButFound: number;
}

/** The writes that are said to have failed and are there all the same. */
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

export function judgeOutcomes(
  store: HistoryStore,
  failed: FailedButFound,
): { readonly outcomes: OutcomeCounts; readonly outcomeFindings: readonly OutcomeFinding[] } {
  let doneNotFound = 0;
  const listed: OutcomeFinding[] = [];
  for (const { id, atMs, target } of store.doneNotFound()) {
    doneNotFound += 1;
    if (listed.length < LISTED_MAX) listed.push(notFound(id, atMs, target));
  }
  return {
    outcomes: { doneNotFound, failedButFound: failed.count },
    outcomeFindings: [...listed, ...failed.listed],
  };
}

function notFound(id: string, atMs: number, target: Target): OutcomeFinding {
  return { class: 'doneNotFound', decision_id: id, time: new Date(atMs).toISOString(), ...target };
}
