/** Compares changes with decisions: sorts both by object and time, then reads them side by side. */
import { asciiLower } from '@writecheck/engine';
import { type Change, ceilMs, type Moment, type UnreadableLine } from './change.ts';
import { CHANGE_CLASSES, isFinding } from './classes.ts';
import type { DecisionFact } from './decision-fact.ts';
import { DecisionIndex } from './decision-index.ts';
import type { ExportedFact } from './exported-facts.ts';
import { ExternalSort } from './external-sort.ts';
import { ObjectHistory, type Tolerances } from './object-history.ts';
import { REPORT_VERSION, type ReconcileReport } from './report.ts';
import {
  changeRecord,
  Hasher,
  KEY_BYTES,
  readChangeRecord,
  readDecisionRecord,
  type SortedChange,
} from './sort-record.ts';
import { FINDINGS_MAX, Tally } from './tally.ts';

/** At most this many unreadable lines are named; all are counted. */
const UNREADABLE_SHOWN_MAX = FINDINGS_MAX;

export interface ReconcileInput extends Tolerances {
  readonly system: string;
  readonly changes: AsyncIterable<Change | UnreadableLine>;
  readonly facts: AsyncIterable<ExportedFact>;
  /** What each of three sorts may hold in memory; for tests. */
  readonly bufferBytes?: number;
}

export async function reconcile(input: ReconcileInput): Promise<ReconcileReport> {
  const { system, windowMs, skewMs } = input;
  const hasher = new Hasher();
  const history = await sortChanges(input, hasher);
  const { index, read, hidden } = await sortDecisions(input, hasher);
  const { tally, notCarriedOut } = compare(history, index.sorted(), input);
  const { classes, byActor, byField, findings } = tally;
  const found = CHANGE_CLASSES.filter(isFinding).reduce((sum, one) => sum + classes[one], 0);
  return {
    version: REPORT_VERSION,
    system,
    windowSeconds: windowMs / 1_000,
    skewSeconds: skewMs / 1_000,
    from: history.first === null ? null : new Date(history.first.ms).toISOString(),
    to: history.last === null ? null : new Date(history.last.ms).toISOString(),
    decisions: { read, hidden },
    changes: { read: history.read, unreadable: history.unreadable },
    classes,
    notCarriedOut,
    byActor,
    byField,
    findings,
    findingsLeftOut: found - findings.length,
    unreadable: history.named,
  };
}

interface SortedChanges {
  readonly sort: ExternalSort;
  readonly read: number;
  readonly unreadable: number;
  readonly named: readonly Pick<UnreadableLine, 'line' | 'message'>[];
  readonly first: Moment | null;
  readonly last: Moment | null;
}

async function sortChanges({ changes, bufferBytes }: ReconcileInput, hasher: Hasher): Promise<SortedChanges> {
  const sort = new ExternalSort(bufferBytes);
  const named: Pick<UnreadableLine, 'line' | 'message'>[] = [];
  let read = 0;
  let unreadable = 0;
  let first: Moment | null = null;
  let last: Moment | null = null;
  for await (const change of changes) {
    if (change.kind === 'unreadable') {
      unreadable += 1;
      if (named.length < UNREADABLE_SHOWN_MAX) named.push({ line: change.line, message: change.message });
      continue;
    }
    read += 1;
    if (first === null || isBefore(change.at, first)) first = change.at;
    if (last === null || isBefore(last, change.at)) last = change.at;
    sort.add(changeRecord(change, hasher));
  }
  return { sort, read, unreadable, named, first, last };
}

function isBefore(a: Moment, b: Moment): boolean {
  return a.ms !== b.ms ? a.ms < b.ms : a.beyondMs < b.beyondMs;
}

async function sortDecisions(
  { system, facts, bufferBytes }: ReconcileInput,
  hasher: Hasher,
): Promise<{ readonly index: DecisionIndex; readonly read: number; readonly hidden: number }> {
  const index = new DecisionIndex(hasher, bufferBytes);
  const wanted = asciiLower(system);
  let read = 0;
  let hidden = 0;
  for await (const fact of facts) {
    if (fact.kind === 'hidden') hidden += 1;
    if (fact.kind === 'redemption') index.addRedemption(fact.decisionId);
    if (fact.kind !== 'decision') continue;
    read += 1;
    const { objectType, objectRef, field, agentValue } = fact.intent;
    if (objectType == null || objectRef == null || field == null || agentValue == null) continue;
    if (asciiLower(fact.intent.system) !== wanted) continue;
    index.addDecision({ objectType, objectRef, field }, agentValue, fact.fact);
  }
  return { index, read, hidden };
}

function compare(
  changes: SortedChanges,
  decisions: Generator<Buffer>,
  tolerances: Tolerances,
): { readonly tally: Tally; readonly notCarriedOut: number } {
  const tally = new Tally();
  let notCarriedOut = 0;
  const isInRange = ({ atMs }: DecisionFact): boolean =>
    changes.first !== null && ceilMs(changes.first) <= atMs && atMs <= changes.last!.ms;
  let next = decisions.next();
  /** The next decision before or at `target` that `isTaken`; counts it. */
  function take(target: Buffer, isTaken: (decision: DecisionFact) => boolean): DecisionFact | null {
    if (next.done || next.value.compare(target, 0, KEY_BYTES, 0, KEY_BYTES) > 0) return null;
    const decision = readDecisionRecord(next.value);
    if (next.value.compare(target, 0, KEY_BYTES, 0, KEY_BYTES) === 0 && !isTaken(decision)) return null;
    if (decision.decision === 'allow' && isInRange(decision)) notCarriedOut += 1;
    next = decisions.next();
    return decision;
  }

  let target = Buffer.alloc(KEY_BYTES);
  let history: ObjectHistory | null = null;
  for (const record of changes.sort.sorted()) {
    if (history === null || record.compare(target, 0, KEY_BYTES, 0, KEY_BYTES) !== 0) {
      target = Buffer.from(record.subarray(0, KEY_BYTES));
      history = new ObjectHistory(tolerances);
      // Decisions about objects before this one, which have no change left.
      while (take(target, () => false) !== null);
    }
    const change: SortedChange = readChangeRecord(record);
    const isDue = ({ atMs }: DecisionFact): boolean => atMs - tolerances.skewMs <= change.at.ms;
    for (let due = take(target, isDue); due !== null; due = take(target, isDue))
      history.learn(due, change.at);
    const { class: found, decision } = history.classify(change.at, change.value);
    const hasAnswered = decision?.decision === 'allow' && found !== 'other_value';
    if (hasAnswered && isInRange(decision)) notCarriedOut -= 1;
    tally.add(change, found, decision?.id ?? null);
  }
  while (take(AFTER_ALL, () => true) !== null);
  return { tally, notCarriedOut };
}

const AFTER_ALL = Buffer.alloc(KEY_BYTES, 0xff);
