/** Compares changes with decisions: stores both, then reads them back by object and time. */
import { asciiLower } from '@writecheck/engine';
import { type Change, ceilMs, type Moment, type UnreadableLine } from './change.ts';
import { CHANGE_CLASSES, isFinding } from './classes.ts';
import type { DecisionFact } from './decision-fact.ts';
import type { ExportedFact } from './exported-facts.ts';
import { HistoryStore } from './history-store.ts';
import { ObjectHistory, type Tolerances } from './object-history.ts';
import { type Operations, operationWrite } from './operations.ts';
import { judgeAllows } from './outcomes.ts';
import { REPORT_VERSION, type ReconcileReport } from './report.ts';
import { FINDINGS_MAX, Tally } from './tally.ts';
import type { Target } from './target.ts';

/** Limits the unreadable lines that are named; all are counted. */
const UNREADABLE_SHOWN_MAX = FINDINGS_MAX;

export interface ReconcileInput extends Tolerances {
  readonly system: string;
  readonly changes: AsyncIterable<Change | UnreadableLine>;
  readonly facts: AsyncIterable<ExportedFact>;
  readonly operations: Operations;
}

export async function reconcile(input: ReconcileInput): Promise<ReconcileReport> {
  const { system, windowMs, skewMs } = input;
  const store = new HistoryStore(skewMs);
  try {
    const changes = await storeChanges(input, store);
    const decisions = await storeDecisions(input, changes, store);
    const tally = compare(store, changes, input);
    const { notCarriedOut, allowsNotCarriedOut, outcomes, outcomeFindings } = judgeAllows(
      store,
      tally.failedButFound,
    );
    const { classes, byActor, byField, findings } = tally;
    const found = CHANGE_CLASSES.filter(isFinding).reduce((sum, one) => sum + classes[one], 0);
    const notComparable = { changes: changes.notComparable, decisions: decisions.notComparable };
    return {
      version: REPORT_VERSION,
      system,
      windowSeconds: windowMs / 1_000,
      skewSeconds: skewMs / 1_000,
      from: changes.first === null ? null : new Date(changes.first.ms).toISOString(),
      to: changes.last === null ? null : new Date(changes.last.ms).toISOString(),
      decisions: { read: decisions.read, hidden: decisions.hidden },
      changes: { read: changes.read, unreadable: changes.unreadable },
      ...(notComparable.changes + notComparable.decisions > 0 && { notComparable }),
      classes,
      ...(tally.doubleWrites > 0 && { doubleWrites: tally.doubleWrites }),
      notCarriedOut,
      outcomes,
      byActor,
      byField,
      findings,
      findingsLeftOut: found - findings.length,
      outcomeFindings,
      allowsNotCarriedOut,
      unreadable: changes.named,
    };
  } finally {
    store.close();
  }
}

class ReadChanges {
  read = 0;
  unreadable = 0;
  notComparable = 0;
  readonly named: Pick<UnreadableLine, 'line' | 'message'>[] = [];
  first: Moment | null = null;
  last: Moment | null = null;

  isInRange({ atMs }: Pick<DecisionFact, 'atMs'>): boolean {
    return this.first !== null && ceilMs(this.first) <= atMs && atMs <= this.last!.ms;
  }
}

async function storeChanges(
  { changes, operations }: ReconcileInput,
  store: HistoryStore,
): Promise<ReadChanges> {
  const all = new ReadChanges();
  for await (const change of changes) {
    if (change.kind === 'unreadable') {
      const { line, message } = change;
      all.unreadable += 1;
      if (all.named.length < UNREADABLE_SHOWN_MAX) all.named.push({ line, message });
      continue;
    }
    all.read += 1;
    const { operation, at, newValue } = change;
    const mapped = operations.get(asciiLower(operation));
    if (operation !== '' && mapped === undefined) {
      all.notComparable += 1;
      continue;
    }
    if (all.first === null || isBefore(at, all.first)) all.first = at;
    if (all.last === null || isBefore(all.last, at)) all.last = at;
    const { objectType, field, objectRef } = change;
    const target: Target = operation === '' ? { objectType, field, objectRef } : { operation, objectRef };
    store.addChange(change, target, mapped?.value === null ? '' : newValue);
  }
  return all;
}

function isBefore(a: Moment, b: Moment): boolean {
  return a.ms !== b.ms ? a.ms < b.ms : a.beyondMs < b.beyondMs;
}

async function storeDecisions(
  { system, facts, operations }: ReconcileInput,
  changes: ReadChanges,
  store: HistoryStore,
) {
  const wanted = asciiLower(system);
  const counts = { read: 0, hidden: 0, notComparable: 0 };
  for await (const fact of facts) {
    if (fact.kind === 'hidden') counts.hidden += 1;
    if (fact.kind === 'redemption') store.addRedemption(fact.decisionId);
    if (fact.kind === 'outcome') store.addOutcome(fact.decisionId, fact.result, fact.isJudged);
    if (fact.kind !== 'decision') continue;
    counts.read += 1;
    if (asciiLower(fact.intent.system) !== wanted) continue;
    const write = writeOf(fact, operations);
    if (write === null) {
      if (fact.intent.operation != null) counts.notComparable += 1;
      continue;
    }
    if (fact.fact.decision === 'allow' && changes.isInRange(fact.fact))
      store.addAllow({ id: fact.fact.id, atMs: fact.fact.atMs, target: write.target });
    store.addDecision(write.target, write.value, fact.fact);
  }
  return counts;
}

/** Null if it does not say which object and value it is about. */
function writeOf(
  { intent }: Extract<ExportedFact, { kind: 'decision' }>,
  operations: Operations,
): { readonly target: Target; readonly value: string } | null {
  const { operation, objectType, objectRef, field, agentValue } = intent;
  if (operation != null && operations.has(asciiLower(operation))) {
    const write = operationWrite(intent, operations);
    return write && { target: { operation, objectRef: write.objectRef }, value: write.value };
  }
  if (objectType == null || objectRef == null || field == null || agentValue == null) return null;
  return { target: { objectType, objectRef, field }, value: agentValue };
}

function compare(store: HistoryStore, changes: ReadChanges, tolerances: Tolerances): Tally {
  const tally = new Tally();
  let target: string | null = null;
  let history = new ObjectHistory(tolerances);
  for (const event of store.events()) {
    if (event.target !== target) {
      target = event.target;
      history = new ObjectHistory(tolerances);
    }
    if (event.kind === 'decision') {
      history.learn(event.decision, event.decision.atMs - tolerances.skewMs);
      continue;
    }
    const { change } = event;
    const { class: found, decision, isDouble } = history.classify(change.at, change.value);
    const isCovered = decision?.decision === 'allow' && found !== 'other_value' && !isDouble;
    if (isCovered && changes.isInRange(decision)) store.addCarriedOut(decision.id);
    if (isCovered && decision.outcome === 'failed') tally.addFailedButFound(change, decision);
    tally.add(change, found, decision?.id ?? null, isDouble === true);
  }
  return tally;
}
