/** Evaluates every gate of an intent, under the modes that decide and as if everything enforced. */
import type { AttestationChecks, EvidenceItem, LimitReading, WriteIntent } from '@writecheck/contract';
import { applyLimits, judgeLimits } from './apply-limits.ts';
import { type Circumstances, NO_CIRCUMSTANCES } from './circumstances.ts';
import { type AuthorityOutcome, evaluateAuthority } from './evaluate-authority.ts';
import { type EvaluatedControl, type Evidence, evaluateControl } from './evaluate-control.ts';
import { type Judgement, judge } from './judge-reading.ts';
import type { PolicySnapshot } from './policy/snapshot.ts';
import { RecordFacts } from './record-facts.ts';
import { type ModeReading, type Resolution, resolveRequirements } from './resolve-requirements.ts';
import { differentLists, withDifferentPeople } from './with-different-people.ts';

const NO_ITEMS: readonly EvidenceItem[] = [];
const NO_READINGS: readonly LimitReading[] = [];

export interface Weighed {
  readonly intent: WriteIntent;
  readonly evidence: Evidence;
  readonly circumstances: Circumstances;
  readonly recordFacts: RecordFacts;
  readonly resolution: Resolution;
  /** The controls of both readings, in the order of `resolution.requirements`. */
  readonly controls: readonly EvaluatedControl[];
  /** The controls of the reading that decides. */
  readonly enforcedControls: readonly EvaluatedControl[];
  /** The authority in the reading that decides. */
  readonly authority: AuthorityOutcome;
  /** The authority in the reading in which everything enforces. */
  readonly evaluatedAuthority: AuthorityOutcome;
  readonly verdict: Judgement;
  /** The verdict if everything enforced. */
  readonly ideal: Judgement;
}

export function weighIntent(
  intent: WriteIntent,
  facts: readonly AttestationChecks[],
  snapshot: PolicySnapshot,
  nowMs: number,
  circumstances: Circumstances = NO_CIRCUMSTANCES,
): Weighed {
  const evidence = { items: intent.controlEvidence ?? NO_ITEMS, facts, nowMs };
  const recordFacts = new RecordFacts(evidence, snapshot);
  const applied =
    circumstances.applied ??
    applyLimits(intent, recordFacts.of, snapshot, nowMs, circumstances.firstKeyId ?? null);
  const limits = judgeLimits(applied, circumstances.readings ?? NO_READINGS);
  const resolution = resolveRequirements(intent, snapshot, nowMs, recordFacts.of, limits);
  const { enforced, evaluated } = resolution;
  const controls: EvaluatedControl[] = [];
  for (const { control } of resolution.requirements) controls.push(evaluateControl(control, evidence));
  const weighReading = (reading: ModeReading): Gates => {
    const gates = {
      controls: controlsOf(reading, resolution, controls),
      authority: evaluateAuthority(intent, reading, evidence),
    };
    const lists = differentLists(reading.profiles);
    return lists.length === 0 ? gates : requireDifferentPeople(gates, lists, evidence);
  };
  const { controls: enforcedControls, authority } = weighReading(enforced);
  const verdict = judge(enforced, authority, enforcedControls, intent, circumstances, recordFacts.of);
  const isSame = evaluated === enforced;
  const asEvaluated = isSame ? { controls: enforcedControls, authority } : weighReading(evaluated);
  const ideal = isSame
    ? verdict
    : judge(evaluated, asEvaluated.authority, asEvaluated.controls, intent, circumstances, recordFacts.of);
  return {
    intent,
    evidence,
    circumstances,
    recordFacts,
    resolution,
    controls: shownControls(resolution, enforcedControls, asEvaluated.controls),
    enforcedControls,
    authority,
    evaluatedAuthority: asEvaluated.authority,
    verdict,
    ideal,
  };
}

/** The requirements of a reading, in its own order. */
function controlsOf(
  { requirements }: ModeReading,
  resolution: Resolution,
  controls: readonly EvaluatedControl[],
): readonly EvaluatedControl[] {
  if (requirements === resolution.requirements) return controls;
  const byId = new Map(controls.map((one) => [one.control.id, one]));
  return requirements.map(({ control }) => byId.get(control.id)!);
}

interface Gates {
  readonly controls: readonly EvaluatedControl[];
  readonly authority: AuthorityOutcome;
}

/** The confirmation comes first, as in a review. */
function requireDifferentPeople(
  { controls, authority }: Gates,
  lists: readonly (readonly string[])[],
  evidence: Evidence,
): Gates {
  const { confirmation } = authority;
  const all = confirmation === null ? controls : [confirmation, ...controls];
  const purposes = all.map((one) => (one === confirmation ? 'confirmedBy' : 'control'));
  const adjusted = withDifferentPeople(all, lists, evidence, purposes);
  if (confirmation === null) return { controls: adjusted, authority };
  return { controls: adjusted.slice(1), authority: { ...authority, confirmation: adjusted[0]! } };
}

/** The controls as if everything enforced, and those that only the deciding reading requires. */
function shownControls(
  { requirements, evaluated }: Resolution,
  enforcedControls: readonly EvaluatedControl[],
  evaluatedControls: readonly EvaluatedControl[],
): readonly EvaluatedControl[] {
  if (evaluated.requirements === requirements) return evaluatedControls;
  const all = [...enforcedControls, ...evaluatedControls];
  const byId = new Map(all.map((one) => [one.control.id, one]));
  return requirements.map(({ control }) => byId.get(control.id)!);
}
