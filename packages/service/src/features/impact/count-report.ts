/**
 * Adds up an impact report, record by record. INVARIANT: at any moment each matrix of decisions sums to `replayed`,
 * and `replayed` and `notReplayed` to `decisions`.
 */
import type { ImpactReport, Matrix } from '@writecheck/api';
import { DECISIONS, type Decision } from '@writecheck/contract';
import type { Outcome, PolicyDocument } from '@writecheck/engine';
import { CountChanged, type Subject } from './count-changed.ts';
import { CountRules } from './count-rules.ts';
import { DistinctCount, Exactness, hashOfDigest } from './distinct-count.ts';
import type { Side } from './replay-record.ts';
import type { Cells, NotReplayed } from './report.ts';

const SIDES = DECISIONS.length;
const CELLS = SIDES * SIDES;

function cellOf(before: Decision, after: Decision): number {
  return DECISIONS.indexOf(before) * SIDES + DECISIONS.indexOf(after);
}

export class CountReport {
  readonly #notReplayed = { pruned: 0, version: 0, frozen: 0, signature: 0, use: 0, review: 0, facts: 0 };
  #replayed = 0;
  readonly #exactness = new Exactness();
  readonly #decided = Array<number>(CELLS).fill(0);
  readonly #evaluated = Array<number>(CELLS).fill(0);
  readonly #decidedIntents = this.#newCells();
  readonly #evaluatedIntents = this.#newCells();
  readonly #stopped = new CountChanged(this.#exactness);
  readonly #allowed = new CountChanged(this.#exactness);
  readonly #rules: CountRules;

  constructor(candidate: readonly PolicyDocument[]) {
    this.#rules = new CountRules(candidate);
  }

  notReplayed(reason: NotReplayed, decisions = 1): void {
    this.#notReplayed[reason] += decisions;
  }

  replayed(subject: Subject, before: Side, after: Outcome): void {
    this.#replayed += 1;
    const decided = cellOf(before.decision, after.decision);
    const evaluated = cellOf(before.evaluatedDecision, after.evaluatedDecision);
    const digest = hashOfDigest(subject.intentDigest);
    this.#exactness.note(digest);
    this.#decided[decided]! += 1;
    this.#evaluated[evaluated]! += 1;
    this.#decidedIntents[decided]!.add(digest);
    this.#evaluatedIntents[evaluated]!.add(digest);
    this.#rules.add(after);
    const wasAllowed = before.decision === 'allow';
    if (wasAllowed === (after.decision === 'allow')) return;
    if (wasAllowed) this.#stopped.add(subject, digest, before, after, after);
    else this.#allowed.add(subject, digest, before, after, before);
  }

  get decisions(): number {
    const { pruned, version, frozen, signature, use, review, facts } = this.#notReplayed;
    return this.#replayed + pruned + version + frozen + signature + use + review + facts;
  }

  get shown(): ImpactReport {
    return {
      coverage: {
        decisions: this.decisions,
        replayed: this.#replayed,
        notReplayed: { ...this.#notReplayed },
      },
      matrix: {
        decision: matrixOf(this.#decided, this.#decidedIntents),
        evaluatedDecision: matrixOf(this.#evaluated, this.#evaluatedIntents),
      },
      newlyStopped: this.#stopped.shown(this.#replayed),
      newlyAllowed: this.#allowed.shown(this.#replayed),
      rules: this.#rules.shown,
      approximate: this.#exactness.isOver,
    };
  }

  #newCells(): readonly DistinctCount[] {
    return Array.from({ length: CELLS }, () => new DistinctCount(this.#exactness));
  }
}

function matrixOf(decisions: readonly number[], intents: readonly DistinctCount[]): Matrix {
  return {
    decisions: cells((cell) => decisions[cell]!),
    intents: cells((cell) => intents[cell]!.count),
  };
}

function cells(count: (cell: number) => number): Cells {
  const row = (before: Decision) =>
    Object.fromEntries(DECISIONS.map((after) => [after, count(cellOf(before, after))]));
  return Object.fromEntries(DECISIONS.map((before) => [before, row(before)])) as unknown as Cells;
}
