/** Makes the rows of the search index from the log: one per decision, and counts by day and hour. */
import { HOUR_MS } from '@writecheck/contract';
import type { Leaf } from '@writecheck/ledger/log';
import { recordedIntent } from '@writecheck/ledger/log';
import { isDecisionLeaf } from '../log/leaf-shape.ts';
import type { StoredEntry } from '../log/segment.ts';
import type { DecisionSummary } from '../port/decisions.ts';
import { mapping } from '../tables/mapping.ts';

/** A row of the index. */
export interface IndexedDecision extends DecisionSummary {
  readonly position: number;
  readonly workspace: string;
  /** The end of an allow's validity; null for a pause or block. */
  readonly validUntilMs: number | null;
}

export const DECISION = mapping<IndexedDecision>({
  position: 'position',
  workspace: 'workspace',
  atMs: 'at_ms',
  decisionId: 'decision_id',
  auditId: 'audit_id',
  keyId: 'key_id',
  timestamp: 'timestamp',
  decision: 'decision',
  evaluatedDecision: 'evaluated_decision',
  reasonCode: 'reason_code',
  system: 'system',
  objectType: 'object_type',
  objectRef: 'object_ref',
  field: 'field',
  operation: 'operation',
  workflowId: 'workflow_id',
  runId: 'run_id',
  validUntilMs: 'valid_until_ms',
});

interface DayCount {
  readonly workspace: string;
  readonly day: string;
  readonly keyId: string;
  checks: number;
}

interface HourCount {
  readonly workspace: string;
  readonly hourMs: number;
  allow: number;
  pause: number;
  block: number;
  warned: number;
}

/**
 * Segments are added one by one, in any order. INVARIANT: it keeps texts and numbers, and none of the segments' bytes.
 */
export class IndexRows {
  readonly decisions: IndexedDecision[] = [];
  readonly #daily = new Map<string, DayCount>();
  readonly #hourly = new Map<string, HourCount>();

  /** Sorted, because another process may be counting the same days for another log. */
  get daily(): readonly DayCount[] {
    return sortedValues(this.#daily);
  }

  get hourly(): readonly HourCount[] {
    return sortedValues(this.#hourly);
  }

  /** `position` is that of the first entry. */
  add(position: number, entries: readonly StoredEntry[]): void {
    for (const [i, { record, leaf }] of entries.entries()) {
      // Only decisions belong in a list of decisions. A pruned entry keeps only its hash.
      if (!isDecisionLeaf(leaf)) continue;
      const parsed = leafOf(leaf);
      if ('kind' in parsed) continue;
      const decision = decisionOf(position + i, record, parsed);
      this.decisions.push(decision);
      this.#count(decision);
    }
  }

  #count({ workspace, timestamp, keyId, atMs, decision, evaluatedDecision }: IndexedDecision): void {
    const day = timestamp.slice(0, 10);
    const ofDay = valueIn(this.#daily, `${workspace} ${day} ${keyId}`, () => ({
      workspace,
      day,
      keyId,
      checks: 0,
    }));
    ofDay.checks += 1;
    const hourMs = atMs - (atMs % HOUR_MS);
    const ofHour = valueIn(this.#hourly, `${workspace} ${hourMs}`, () => ({
      workspace,
      hourMs,
      allow: 0,
      pause: 0,
      block: 0,
      warned: 0,
    }));
    ofHour[decision] += 1;
    if (evaluatedDecision !== decision) ofHour.warned += 1;
  }
}

/** The store trusts what it wrote itself: checking a leaf's spelling is the verifier's task. */
function leafOf(leaf: Buffer): Leaf | { readonly kind: string } {
  return JSON.parse(leaf.toString());
}

/** Only the intent is read from a record; everything else the index holds is in the leaf. */
function decisionOf(position: number, record: Buffer, leaf: Leaf): IndexedDecision {
  const intent = recordedIntent(record);
  return {
    position,
    workspace: leaf.workspace,
    atMs: Date.parse(leaf.timestamp),
    decisionId: leaf.decision_id,
    auditId: leaf.audit_id,
    keyId: leaf.keyId,
    timestamp: leaf.timestamp,
    decision: leaf.decision,
    evaluatedDecision: leaf.evaluatedDecision,
    reasonCode: leaf.reason_code,
    system: intent.system,
    objectType: intent.objectType ?? null,
    objectRef: intent.objectRef ?? null,
    field: intent.field ?? null,
    operation: intent.operation ?? null,
    workflowId: intent.workflowId ?? null,
    runId: intent.runId ?? null,
    validUntilMs: leaf.validUntil === null ? null : Date.parse(leaf.validUntil),
  };
}

function valueIn<Value>(values: Map<string, Value>, key: string, first: () => Value): Value {
  const before = values.get(key);
  if (before !== undefined) return before;
  const value = first();
  values.set(key, value);
  return value;
}

function sortedValues<Value>(values: ReadonlyMap<string, Value>): readonly Value[] {
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
