/** The outcome of a decision and the rules that led to it, without its texts: for replaying many records. */
import type { AttestationChecks, Decision, ReasonCode, WriteIntent } from '@writecheck/contract';
import type { Circumstances } from './circumstances.ts';
import type { ResolvedRequirement } from './collect-requirements.ts';
import { mostSpecific } from './decide.ts';
import { asksForValues } from './evaluate-authority.ts';
import type { Control, PolicySnapshot, Profile, Workflow } from './policy/snapshot.ts';
import { weighIntent } from './weigh-intent.ts';

/** INVARIANT: the first four equal those of `decide` for the same input. */
export interface Outcome {
  readonly decision: Decision;
  readonly evaluatedDecision: Decision;
  readonly reasonCode: ReasonCode;
  /** The most specific profile that applied. */
  readonly profileId: string | null;
  /** All profiles that applied, observing or not. */
  readonly profiles: readonly Profile[];
  readonly workflow: Workflow | null;
  /** The controls whose facts a condition names. */
  readonly readsFacts: readonly Control[];
  readonly requirements: readonly Pick<ResolvedRequirement, 'control' | 'sources'>[];
  /** The subject of the reason code; null if nothing objects, or a gate without its own rules does. */
  readonly decidedBy:
    | { readonly kind: 'control'; readonly controlId: string }
    | { readonly kind: 'authority'; readonly profiles: readonly Profile[] }
    | null;
}

export function outcomeOf(
  intent: WriteIntent,
  facts: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  nowMs: number,
  circumstances?: Circumstances,
): Outcome {
  const { resolution, verdict, ideal } = weighIntent(intent, facts, snapshot, nowMs, circumstances);
  const { profiles, workflow, requirements, readsFacts } = resolution;
  const { decision } = verdict;
  const objection = decision === 'allow' ? ideal.decidedBy : verdict.decidedBy;
  let decidedBy: Outcome['decidedBy'] = null;
  if (objection?.controlId !== undefined) decidedBy = { kind: 'control', controlId: objection.controlId };
  else if (objection?.gate === 'authority')
    decidedBy = {
      kind: 'authority',
      profiles: profiles.filter((profile) => asksForValues(profile, nowMs)),
    };
  return {
    decision,
    evaluatedDecision: ideal.decision,
    reasonCode: objection?.code ?? 'requirements_met',
    profileId: mostSpecific(profiles)?.id ?? null,
    profiles,
    workflow,
    readsFacts,
    requirements,
    decidedBy,
  };
}

/** Every control whose evidence may have affected the outcome. */
export function controlsLookedAt({ requirements, profiles, readsFacts }: Outcome): readonly Control[] {
  const controls = [...requirements.map(({ control }) => control), ...readsFacts];
  for (const { attestedBy, confirmedBy } of profiles) {
    if (attestedBy !== null) controls.push(attestedBy);
    if (confirmedBy !== null) controls.push(confirmedBy);
  }
  return controls;
}
