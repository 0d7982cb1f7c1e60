/** Compares one engine decision with the model's, member by member. */
import { decide, type PolicySnapshot } from '@writecheck/engine';
import type { Case } from './generate-intent.ts';
import { naiveDecide } from './naive-model.ts';

type Naive = ReturnType<typeof naiveDecide>;

/** The path of the first difference and what each side says, or null. A member that is undefined counts as absent. */
function difference(engine: unknown, model: unknown): string | null {
  if (Object.is(engine, model)) return null;
  if (typeof engine !== 'object' || typeof model !== 'object' || engine === null || model === null) {
    return `: the engine says ${JSON.stringify(engine)}, the model ${JSON.stringify(model)}`;
  }
  const left = engine as Record<string, unknown>;
  const right = model as Record<string, unknown>;
  for (const key in left) {
    const found = difference(left[key], right[key]);
    // The path is built on the way back, because nearly every comparison finds nothing.
    if (found !== null) return `/${key}${found}`;
  }
  for (const key in right) {
    if (right[key] !== undefined && left[key] === undefined) return `/${key}: only the model says anything`;
  }
  return null;
}

export interface Comparison {
  readonly difference: string | null;
  readonly model: Naive;
}

/** All members except the texts, the remedies and the bundle's digest, which are compared separately. */
const MEMBERS = [
  'decision',
  'evaluatedDecision',
  'reasonCode',
  'requiredControls',
  'controlEvaluations',
  'requirementProvenance',
  'writePolicy',
  'observeMode',
  'enforced',
  'warn',
  'failClosed',
  'validUntil',
  'review',
  'facts',
  'consumes',
  'restsOn',
] as const;

export function compareDecisions(one: Case, snapshot: PolicySnapshot): Comparison {
  const { freezes = [] } = one;
  const model = naiveDecide(one.intent, one.facts, one.documents, one.nowMs, freezes);
  const engine = decide(one.intent, one.facts, snapshot, one.nowMs, { freezes });
  for (const member of MEMBERS) {
    // Equal texts are equal values, and comparing them is native; a reordered member is searched for only if
    // they differ.
    if (JSON.stringify(engine[member]) === JSON.stringify(model[member])) continue;
    const found = difference(engine[member], model[member]);
    if (found !== null) return { difference: `/${member}${found}`, model };
  }
  const { profileProvenance, remediation, reason, warnings } = engine;
  const provenance = { ...model.profileProvenance, policyRef: snapshot.digest ?? undefined };
  const remedies = remediation?.map(({ gate, controlId, action }) => ({ gate, controlId, action }));
  const apart =
    difference(profileProvenance, provenance) ??
    difference(remedies, model.remediation) ??
    (reason === '' || warnings.includes('') ? ': an empty text' : null);
  return { difference: apart, model };
}
