/** The facts that good items give about the record, for the rules of one intent; each control is evaluated once. */
import type { FactsReading, FactsStatus, JsonObject } from '@writecheck/contract';
import type { FactsOf } from './conditions/compiled-condition.ts';
import { type EvaluatedControl, type Evidence, evaluateControl, isSatisfied } from './evaluate-control.ts';
import type { Control, PolicySnapshot } from './policy/snapshot.ts';

export class RecordFacts {
  readonly #evidence: Evidence;
  readonly #snapshot: Pick<PolicySnapshot, 'controlOf'>;
  #evaluated: Map<string, EvaluatedControl> | null = null;

  constructor(evidence: Evidence, snapshot: Pick<PolicySnapshot, 'controlOf'>) {
    this.#evidence = evidence;
    this.#snapshot = snapshot;
  }

  /** INVARIANT: facts come from the verified claim of a good item and from nowhere else. */
  readonly of: FactsOf = (controlId) => factsIn(this.evaluated(controlId));

  /** The control as if it were required: a negative result for it counts, and removes its facts. */
  evaluated(controlId: string): EvaluatedControl {
    this.#evaluated ??= new Map();
    let evaluated = this.#evaluated.get(controlId);
    if (evaluated === undefined) {
      evaluated = evaluateControl(this.#snapshot.controlOf(controlId), this.#evidence);
      this.#evaluated.set(controlId, evaluated);
    }
    return evaluated;
  }

  /** The facts of these controls, as a decision shows them. */
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
