/** What good items say about the record, for the rules of one intent. Each control is evaluated once. */
import type {
  AttestationChecks,
  EvidenceItem,
  FactsReading,
  FactsStatus,
  JsonObject,
} from '@writecheck/contract';
import type { FactsOf } from './conditions/compiled-condition.ts';
import { type EvaluatedControl, evaluateControl, isSatisfied } from './evaluate-control.ts';
import type { Control, PolicySnapshot } from './policy/snapshot.ts';

export class RecordFacts {
  readonly #items: readonly EvidenceItem[];
  readonly #checks: readonly AttestationChecks[];
  readonly #snapshot: Pick<PolicySnapshot, 'controlOf'>;
  readonly #nowMs: number;
  #evaluated: Map<string, EvaluatedControl> | null = null;

  constructor(
    items: readonly EvidenceItem[],
    checks: readonly AttestationChecks[],
    snapshot: Pick<PolicySnapshot, 'controlOf'>,
    nowMs: number,
  ) {
    this.#items = items;
    this.#checks = checks;
    this.#snapshot = snapshot;
    this.#nowMs = nowMs;
  }

  /** INVARIANT: facts come from the verified claim of a good item and from nowhere else. */
  readonly of: FactsOf = (controlId) => factsIn(this.evaluated(controlId));

  /** The control as if it were required: a negative result for it counts, and takes its facts away. */
  evaluated(controlId: string): EvaluatedControl {
    this.#evaluated ??= new Map();
    let evaluated = this.#evaluated.get(controlId);
    if (evaluated === undefined) {
      const control = this.#snapshot.controlOf(controlId);
      evaluated = evaluateControl(control, this.#items, this.#checks, this.#nowMs);
      this.#evaluated.set(controlId, evaluated);
    }
    return evaluated;
  }

  /** What a decision says about the facts of these controls. */
  readings(controls: readonly Control[]): readonly FactsReading[] {
    return controls.map(({ id }) => {
      const evaluated = this.evaluated(id);
      const { source, checkedAt } = evaluated.evaluation;
      return { controlId: id, status: statusOf(evaluated), source, checkedAt };
    });
  }

  /** The good items among those of these controls that gave facts. */
  used(controls: readonly Control[]): readonly EvaluatedControl[] {
    return controls.map(({ id }) => this.evaluated(id)).filter((evaluated) => factsIn(evaluated) !== null);
  }
}

function factsIn(evaluated: EvaluatedControl): JsonObject | null {
  const { facts } = evaluated;
  return isSatisfied(evaluated) && facts.kind === 'verified' ? (facts.facts ?? null) : null;
}

function statusOf(evaluated: EvaluatedControl): FactsStatus {
  const { status } = evaluated.evaluation;
  if (status !== 'satisfied') return status;
  return factsIn(evaluated) === null ? 'missing' : 'used';
}
