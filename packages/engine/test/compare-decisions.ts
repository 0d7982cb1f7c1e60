/** Holds one engine decision against the model's: every member the model knows, member by member. */
import { decide, type PolicySnapshot } from '@writecheck/engine';
import type { Case } from './generate-intent.ts';
import { naiveDecide } from './naive-model.ts';

type Naive = ReturnType<typeof naiveDecide>;

/** The path of the first difference, or null. A member that is undefined counts as absent. */
function difference(engine: unknown, model: unknown, path: string): string | null {
  if (Object.is(engine, model)) return null;
  if (typeof engine !== 'object' || typeof model !== 'object' || engine === null || model === null) {
    return `${path}: the engine says ${JSON.stringify(engine)}, the model ${JSON.stringify(model)}`;
  }
  const left = engine as Record<string, unknown>;
  const right = model as Record<string, unknown>;
  for (const key in left) {
    const found = difference(left[key], right[key], `${path}/${key}`);
    if (found !== null) return found;
  }
  for (const key in right) {
    if (right[key] !== undefined && !(key in left)) {
      return `${path}/${key}: the engine says nothing, the model ${JSON.stringify(right[key])}`;
    }
  }
  return null;
}

export interface Comparison {
  readonly difference: string | null;
  readonly model: Naive;
}

export function compareDecisions(one: Case, snapshot: PolicySnapshot): Comparison {
  const model = naiveDecide(one.intent, one.facts, one.documents, one.nowMs);
  const { reason, warnings, profileProvenance, remediation, ...rest } = decide(
    one.intent,
    one.facts,
    snapshot,
    one.nowMs,
  );
  const { policyRef, ...provenance } = profileProvenance;
  if ((policyRef ?? null) !== snapshot.digest) return { difference: `/policyRef: ${policyRef}`, model };
  if (reason === '') return { difference: '/reason: empty', model };
  if (warnings.some((warning) => warning === '')) return { difference: '/warnings: an empty one', model };
  const engine = {
    ...rest,
    profileProvenance: provenance,
    remediation: remediation?.map(({ gate, controlId, action }) =>
      controlId === undefined ? { gate, action } : { gate, controlId, action },
    ),
  };
  return { difference: difference(engine, model, ''), model };
}
