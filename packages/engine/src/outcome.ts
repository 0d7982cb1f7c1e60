/** The outcome of a decision and the rules that led to it, without its texts: for replaying many records. */
import type { AttestationChecks, Decision, ReasonCode, WriteIntent } from '@writecheck/contract';
import { limitsBeyond } from './apply-limits.ts';
import type { Circumstances } from './circumstances.ts';
import { hasSay } from './evaluate-authority.ts';
import type { Judgement } from './judge-reading.ts';
import type { Control, PolicySnapshot } from './policy/snapshot.ts';
import type { ModeReading, Resolution } from './resolve-requirements.ts';
import { weighIntent } from './weigh-intent.ts';

/** INVARIANT: the first two equal those of `decide` for the same input. */
export interface Outcome {
  readonly decision: Decision;
  readonly reasonCode: ReasonCode;
  /** The rules that applied, observing or not: `profile:ID`, `workflow:ID` or `limit:ID`. */
  readonly applied: readonly string[];
  /** The rules among them that the reason code is about; none if it is about none of them. */
  readonly deciding: readonly string[];
  /** Whether a rule that enforces covers the intent. */
  readonly isCovered: boolean;
  /** The controls whose facts a condition names. */
  readonly readsFacts: readonly Control[];
  /** Every control whose evidence may have affected the outcome. */
  readonly controls: readonly Control[];
}

export function outcomeOf(
  intent: WriteIntent,
  facts: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  nowMs: number,
  circumstances?: Circumstances,
): Outcome {
  const { resolution, verdict, ideal } = weighIntent(intent, facts, snapshot, nowMs, circumstances);
  const { enforced, evaluated, profiles, requirements, readsFacts } = resolution;
  const { decision } = verdict;
  const [objection, reading] =
    decision === 'allow' ? [ideal.decidedBy, evaluated] : [verdict.decidedBy, enforced];
  const controls = [...requirements.map(({ control }) => control), ...readsFacts];
  for (const { attestedBy, confirmedBy } of profiles) {
    if (attestedBy !== null) controls.push(attestedBy);
    if (confirmedBy !== null) controls.push(confirmedBy);
  }
  return {
    decision,
    reasonCode: objection?.code ?? 'requirements_met',
    applied: rulesOf({ ...resolution, limits: evaluated.limits }),
    deciding: objection === undefined ? [] : decidingRules(objection, reading, resolution.workflow, nowMs),
    isCovered: enforced.cover.isCovered,
    readsFacts,
    controls,
  };
}

interface Rules extends Pick<ModeReading, 'profiles' | 'limits'>, Pick<Resolution, 'workflow'> {}

function rulesOf({ profiles, workflow, limits }: Rules): readonly string[] {
  const rules = profiles.map(({ id }) => `profile:${id}`);
  if (workflow !== null) rules.push(`workflow:${workflow.id}`);
  for (const { limit } of limits) rules.push(`limit:${limit.id}`);
  return rules;
}

function decidingRules(
  { gate, code, effect, controlId }: NonNullable<Judgement['decidedBy']>,
  reading: ModeReading,
  workflow: Rules['workflow'],
  nowMs: number,
): readonly string[] {
  const none: Rules = { profiles: [], workflow: null, limits: [] };
  const { profiles, limits } = reading;
  if (gate === 'control') {
    const sources = reading.requirements.find(({ control }) => control.id === controlId)?.sources ?? [];
    return rulesOf({
      profiles: profiles.filter(({ ref }) => sources.includes(ref)),
      workflow: workflow !== null && sources.includes(workflow.ref) ? workflow : null,
      limits: limits.filter(({ limit }) => sources.includes(limit.ref)),
    });
  }
  if (gate === 'authority')
    return rulesOf({ ...none, profiles: profiles.filter((profile) => hasSay(profile, nowMs)) });
  if (gate === 'limit') {
    const beyond = limitsBeyond(limits).filter((one) => one.code === code && one.limit.beyond === effect);
    return rulesOf({ ...none, limits: beyond });
  }
  if (code !== 'policy_error') return [];
  return rulesOf({ ...none, profiles: reading.erredProfiles, limits: limits.filter(({ erred }) => erred) });
}
